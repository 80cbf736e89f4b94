package measure

import "context"

// Rounds is how often each contender has its turn, if nothing else is said.
const Rounds = 7

// Suite is a number of comparisons that belong together. Its results are one
// file and one section of the report.
type Suite struct {
	Name  string // of the file, and of the markers in the report
	Title string

	// Axis is what Case.Size counts: "objects", "watches". The report then
	// draws each figure over it. Empty: the cases have no order.
	Axis string

	// Figures are the names of what is reported, in order; the first is
	// drawn where there is no axis. What a round returns beyond them is kept
	// in the results and not shown.
	Figures []string

	// Bars are what is to be reached.
	Bars []Bar

	// Modules are the import paths of the modules that are compared, for
	// their versions in the results.
	Modules []string

	// Rounds is how often each contender has its turn; 0 means [Rounds].
	Rounds int

	// Cases makes the cases, and starts what they share. The function that it
	// returns ends that; it may be nil.
	Cases func(ctx context.Context, o Options) ([]Case, func(), error)
}

// Options say how much is to be done.
type Options struct {
	// Once asks for the smallest work that still goes through everything, so
	// that a benchmark that nobody runs does not rot. Its figures mean
	// nothing.
	Once bool

	// Folder is for what only lives as long as the suite: programs, files.
	Folder string

	// Shared is what the suites of this run have in common; never nil.
	Shared *Shared
}

// Case is one piece of work that several contenders do.
type Case struct {
	Name       string
	Size       float64 // on the suite's axis
	Contenders []Contender
}

// Contender does the work of a case in its own way.
type Contender struct {
	Name string
	// Run does it once.
	Run func(ctx context.Context) (Figures, error)
}

// Figures are what one turn measured. A name ends in its unit: "CPU ms".
type Figures map[string]float64

// Bar is something to be reached: by the ratio of two contenders or, without
// Against, by the figure itself.
type Bar struct {
	Case      string // empty: every case that has the contender
	Figure    string
	Contender string
	Against   string
	AtLeast   float64 // 0: no lower bound
	AtMost    float64 // 0: no upper bound
}

package kubeconfig

// Names are the names of what the kubeconfig files hold, sorted: for menus and
// for the completion of a command line.
type Names struct {
	Contexts, Clusters, Users []string
	Current                   string // current-context; "" if there is none
}

// ReadNames reads the names from the files that [Load] would read. Of o only
// Path is looked at. What an entry holds is not, so a broken one is named like
// any other. Errors are those of Load for a file that cannot be read at all.
func ReadNames(o Options) (Names, error) {
	return new(loader).names(o)
}

func (l *loader) names(o Options) (Names, error) {
	report := new(report)
	files, origin := l.candidates(o.Path)
	documents, _ := l.readAll(files, origin, report)
	catalog := merge(documents, report)
	if err := report.err(); err != nil {
		return Names{}, err
	}
	return Names{
		Contexts: catalog.contexts.names(),
		Clusters: catalog.clusters.names(),
		Users:    catalog.users.names(),
		Current:  catalog.current,
	}, nil
}

// Program mutants shows that the tests of package stream can fail.
//
// Each file in testdata is a bug that a person might write into the loop: why
// it is one, the test that has to find it, and the text to replace. The program
// builds the tests of the loop with that bug (go test -overlay: no file of the
// project is touched) and runs the test, which has to turn red:
//
//	go run ./internal/mutants [NAME ...]
//
// A bug that no test finds, and a text that is no longer there, make it fail.
//
// # The files
//
//	why, in a sentence or two
//	test: TestChaos
//	-- stream/index.go --
//	the text, exactly as it stands in the file, once
//	-- becomes --
//	what stands there instead
//
// The last two parts may come again. TestChaos is run with few seeds, and stops
// at the first that fails.
package main

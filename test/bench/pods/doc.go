// Package pods makes as many realistic pods as a benchmark needs: those of a
// recording, under other names. Each is as large as the recorded one, 8 KB, half
// of it managedFields, or lean, for where so many are needed that a client-go
// informer of the large ones would not fit into the machine.
package pods

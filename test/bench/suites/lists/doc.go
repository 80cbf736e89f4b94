// Package lists measures what is alive while a list is read: of pods of 8 KB,
// made by a server in this process while they are read, in one body.
package lists

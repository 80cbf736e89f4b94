// Package goal says when what a person waits for has come: an object is gone,
// is there, has a condition, or satisfies an expression.
//
// # Terms
//
//   - goal: what --for asks for.
//   - subject: an object that has to reach it.
//
// # What counts
//
// All is judged by what the watch has shown, and once what exists has come
// whole (SYNCED), so that nobody is told "all pods are ready" after half of a
// list.
//
//   - delete: the subjects are the objects that existed then. If there is none
//     the goal is met at once. One that comes back under the same name, with
//     another uid, has been deleted.
//   - create: one object is enough.
//   - condition, jq: every object there is reaches it, in the same moment, and
//     there is one at least. Where kubectl's wait fails because there is none
//     yet, this waits. A condition counts only if it is about the object as it
//     is: its observedGeneration, or that of the status, is not behind
//     metadata.generation (as kubectl's wait has it,
//     k8s.io/kubectl/pkg/cmd/wait/condition.go).
//
// Of several collections each has to get there.
package goal

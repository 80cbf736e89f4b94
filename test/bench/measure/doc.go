// Package measure has what a benchmark against peers is made of, and runs it.
//
// A [Suite] measures [Case]s; in a case several [Contender]s do the same work,
// side by side. They do it in rounds: in each round every contender has one
// turn, and the order moves on by one from round to round, so that no
// contender has always the same one in front of it. What a round measures is
// [Figures]. A comparison of two contenders is made round by round, between
// turns that were near in time, and only then is the median taken: what
// disturbs a machine for a minute disturbs both.
//
// Nothing here judges while it measures. A [Bar] is data, and the report says
// whether it was reached.
package measure

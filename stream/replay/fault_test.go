package replay_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	. "example.com/rawwatch/stream/replay"
)

// three is a watch of three events behind a list.
func three() Script {
	return Script{
		On(List(ConfigMaps), JSON(200, ListBody("10"))...),
		On(Watch(ConfigMaps, "10"), Respond(200),
			Write(Event("ADDED", "a", "11")), Mark("here"), Write(Event("MODIFIED", "a", "12")), Write(Event("DELETED", "a", "13")), End()),
	}
}

func inject(t *testing.T, fault string) (Script, error) {
	t.Helper()
	f, err := ParseFault(fault)
	require.NoError(t, err)
	assert.Equal(t, fault, f.String())
	return three().Inject(f)
}

func TestFaultsThatEndAWatchLeaveTheRestForTheNextOne(t *testing.T) {
	for _, fault := range []string{"cut", "cut=17", "eof", "reset", "stall", "garbage", "concat", "goaway", "rst-stream"} {
		for _, place := range []string{"@event:2", "@rv:12", "@mark:here"} {
			script, err := inject(t, fault+place)
			require.NoError(t, err)
			require.Len(t, script, 3)
			assert.Equal(t, Watch(ConfigMaps, "11").With("sendInitialEvents", ""), script[2].Request)
			assert.Equal(t, []Step{Respond(200), Write(Event("MODIFIED", "a", "12")), Write(Event("DELETED", "a", "13")), End()},
				withoutMarks(script[2].Answer), fault+place)
			assert.Equal(t, []Step{Respond(200), Write(Event("ADDED", "a", "11"))}, withoutMarks(script[1].Answer)[:2])
		}
	}
	script, err := inject(t, "cut=17@event:2")
	require.NoError(t, err)
	assert.Equal(t, []Step{Write(Event("MODIFIED", "a", "12")[:17]), Cut()}, withoutMarks(script[1].Answer)[2:])

	// Before the first event there is nothing to go on from but the request's own.
	script, err = inject(t, "eof@event:1")
	require.NoError(t, err)
	assert.Equal(t, three()[1], script[2])
	assert.Equal(t, []Step{Respond(200), End()}, script[1].Answer)
}

func withoutMarks(steps []Step) (out []Step) {
	for _, s := range steps {
		if !assert.ObjectsAreEqual(s, Mark("here")) {
			out = append(out, s)
		}
	}
	return out
}

func TestAListThatIsCutIsAskedForAgain(t *testing.T) {
	script, err := inject(t, "cut=5@exchange:1")
	require.NoError(t, err)
	require.Len(t, script, 3)
	assert.Equal(t, three()[0], script[1])
	assert.Equal(t, []Step{Write(`{"kin`), Cut()}, script[0].Answer[1:])
}

func TestAStreamingListThatIsCutBeforeItsMarkerStartsOver(t *testing.T) {
	streaming := Script{On(Watch(ConfigMaps, "").With("sendInitialEvents", "true"), Respond(200),
		Write(Event("ADDED", "a", "11")), Write(Event("ADDED", "b", "5")), Write(InitialEventsEnd("12")), Write(Event("ADDED", "c", "13")), Hold())}
	for event, want := range map[int]Request{
		2: streaming[0].Request,
		4: Watch(ConfigMaps, "12").With("sendInitialEvents", ""),
	} {
		script, err := streaming.Inject(Fault{Name: "eof", Event: event})
		require.NoError(t, err)
		assert.Equal(t, want, script[1].Request)
	}
}

func TestFaultsInPlaceChangeTheEvent(t *testing.T) {
	old := Event("MODIFIED", "a", "12")
	for fault, want := range map[string]string{
		"dup":          old + old,
		"drop":         "",
		"rv-back":      Event("MODIFIED", "a", "1"),
		"no-rv":        Event("MODIFIED", "a", ""),
		"unknown-type": Event("UNHEARD", "a", "12") + old,
		"crlf":         strings.TrimSuffix(old, "\n") + "\r\n",
		"blank-lines":  "\n\r\n \n" + old,
		"bad-utf8":     strings.Replace(old, `"object":{`, "\"object\":{\"bad\":\"\xff\xfe\",", 1),
		"huge=3":       strings.Replace(old, `"object":{`, `"object":{"huge":"xxx",`, 1),
		"slicer=7":     old,
		"latency=1ms":  old,
	} {
		script, err := inject(t, fault+"@event:2")
		require.NoError(t, err)
		srv := NewServer(t, script[1:], Options{})
		_, body, err := get(t, srv, watch10)
		require.NoError(t, err)
		assert.Equal(t, Event("ADDED", "a", "11")+want+Event("DELETED", "a", "13"), body, fault)
	}
}

func TestFaultsWithoutAPlaceStrikeEveryEvent(t *testing.T) {
	script, err := inject(t, "dup")
	require.NoError(t, err)
	srv := NewServer(t, script[1:], Options{})
	_, body, err := get(t, srv, watch10)
	require.NoError(t, err)
	assert.Equal(t, 6, strings.Count(body, "\n"))
}

func TestFaultsOfWholeExchanges(t *testing.T) {
	script, err := inject(t, "gone-status@exchange:2")
	require.NoError(t, err)
	assert.Equal(t, Script{three()[0], On(Watch(ConfigMaps, "10"), JSON(410, StatusBody(410, "Expired"))...)}, script)

	script, err = inject(t, "gone-event@event:2")
	require.NoError(t, err)
	require.Len(t, script, 2, "there is no going on from an RV that is gone")
	assert.Equal(t, []Step{Write(ErrorEvent(410, "Expired")), End()}, withoutMarks(script[1].Answer)[2:])

	script, err = inject(t, "status=429@mark:here")
	require.NoError(t, err)
	assert.Equal(t, Script{three()[0], On(Watch(ConfigMaps, "10"), JSON(429, StatusRetry(429, "", 1), "Retry-After: 1")...), three()[1]}, script)

	script, err = inject(t, "html@exchange:1")
	require.NoError(t, err)
	require.Len(t, script, 3)
	assert.Equal(t, three()[0], script[1])

	script, err = inject(t, "gzip-member@exchange:2")
	require.NoError(t, err)
	srv := NewServer(t, script[1:], Options{})
	_, body, err := get(t, srv, watch10) // net/http unpacks it
	require.NoError(t, err)
	assert.Equal(t, Event("ADDED", "a", "11")+Event("MODIFIED", "a", "12")+Event("DELETED", "a", "13"), body)
}

func TestFaultsThatStrikeNothingAreErrors(t *testing.T) {
	for fault, want := range map[string]string{
		"cut@event:4":    "replay: fault cut@event:4: there is no such place in the script",
		"cut@rv:99":      "replay: fault cut@rv:99: there is no such place in the script",
		"dup@mark:there": "replay: fault dup@mark:there: there is no such place in the script",
		"eof@exchange:3": "replay: fault eof@exchange:3: there is no such place in the script",
	} {
		_, err := inject(t, fault)
		assert.EqualError(t, err, want)
	}
	for fault, want := range map[string]string{
		"cut=x":        `replay: fault cut=x: strconv.ParseUint: parsing "x": invalid syntax`,
		"crlf=5":       "replay: fault crlf=5: takes no argument",
		"latency=5":    `replay: fault latency=5: time: missing unit in duration "5"`,
		"cut@event:0":  `replay: fault "cut": "event:0" is no place: want event:N, exchange:N, rv:RV or mark:NAME`,
		"cut@anywhere": `replay: fault "cut": "anywhere" is no place: want event:N, exchange:N, rv:RV or mark:NAME`,
	} {
		_, err := ParseFault(fault)
		assert.EqualError(t, err, want)
	}
}

func TestEveryFaultIsDocumentedAndCanBeInjected(t *testing.T) {
	for _, k := range Faults() {
		assert.NotEmpty(t, k.Does, k.Name)
		assert.NotEmpty(t, k.Right, k.Name)
		f := Fault{Name: k.Name}
		if k.Name == "huge" {
			f.Arg = "10"
		}
		_, err := three().Inject(f)
		assert.NoError(t, err, k.Name)
	}
	assert.Len(t, Faults(), 24)
}

func TestFaultRecordsStrikeTheRecordBehindThem(t *testing.T) {
	d, err := NewReader(strings.NewReader(`{"rwr":1}
{"c":1,"t":"req","method":"GET","url":"/p?watch=1&resourceVersion=10"}
{"c":1,"t":"res","status":200,"h":{"Content-Type":"application/json"}}
{"c":1,"t":"ev","ev":{"type":"ADDED","object":{"metadata":{"resourceVersion":"11"}}}}
{"c":1,"t":"fault","fault":"cut=9"}
{"c":1,"t":"ev","ev":{"type":"ADDED","object":{"metadata":{"resourceVersion":"12"}}}}
{"c":1,"t":"end","why":"eof"}
`))
	require.NoError(t, err)
	script, err := d.Script(0)
	require.NoError(t, err)
	srv := NewServer(t, script, Options{})
	_, body, err := get(t, srv, "/p?watch=true&resourceVersion=10")
	require.Error(t, err)
	assert.Equal(t, `{"type":"ADDED","object":{"metadata":{"resourceVersion":"11"}}}`+"\n"+`{"type":"`, body)
	_, body, err = get(t, srv, "/p?watch=true&resourceVersion=11")
	require.NoError(t, err)
	assert.Equal(t, `{"type":"ADDED","object":{"metadata":{"resourceVersion":"12"}}}`+"\n", body)
}

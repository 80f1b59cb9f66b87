package options_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"golem/core/fault"
	"golem/core/options"
)

// TestOneName tests that an option keeps its name: the flag and the name in golem.js are the
// words of Option.Name, like the field of Run. Exceptions, which people already use, are
// listed. Each field of Run is an option.
func TestOneName(t *testing.T) {
	others := map[string]string{"limits": "limit limits", "model-settings": "set modelSettings", "attach": "attach attachments", "artifacts": "artifacts artifact"}
	var run options.Run
	values := map[any]bool{}
	for _, o := range options.All {
		if o.Flag.In != "" || !o.Page.Own {
			v := o.Value(&run)
			if v == nil {
				t.Errorf("%s has no field in Run: add it to core/options/run.go, or write Into", o.Name)
			}
			values[v] = true
		}
		if names := o.FlagName() + " " + o.PageName(); others[o.Name] != "" && names != others[o.Name] {
			t.Errorf("%s is %s", o.Name, names)
		}
		if name := o.FlagName(); name != "" && name != o.Name && others[o.Name] == "" {
			t.Errorf("%s is the flag --%s", o.Name, name)
		}
		if name := o.PageName(); name != "" && !strings.EqualFold(name, strings.ReplaceAll(o.Name, "-", "")) && others[o.Name] == "" {
			t.Errorf("%s is %s in golem.js", o.Name, name)
		}
		if o.Into != "" && o.Flag.Sets == "" && !strings.HasPrefix(o.Into, "Page.") {
			t.Errorf("%s goes into %s", o.Name, o.Into)
		}
	}
	var fields func(v reflect.Value)
	fields = func(v reflect.Value) {
		for i := range v.NumField() {
			if f := v.Field(i); f.Kind() == reflect.Struct {
				fields(f)
			} else if !values[f.Addr().Interface()] {
				t.Errorf("the field %s of Run is no option: add a row to core/options/table.go", v.Type().Field(i).Name)
			}
		}
	}
	fields(reflect.ValueOf(&run).Elem())
}

// TestRows tests that an option that only one side has says why, that a flag and a name are
// there once, and that each row has the texts that are made from it.
func TestRows(t *testing.T) {
	commands := strings.Fields("run chat check describe workers call serve lock add trust batch retry")
	flags, names := map[string]bool{}, map[string]bool{}
	for _, o := range options.All {
		flag, page := o.FlagName(), o.PageName()
		switch one := flag == "" || page == ""; {
		case one && o.Why == "":
			t.Errorf("%s: the flag is %q, the name in golem.js %q: give it the missing one (Flag or Page), or Why, which says what that side has instead", o.Name, flag, page)
		case !one && o.Why != "":
			t.Errorf("%s is a flag and in golem.js: remove Why, %q", o.Name, o.Why)
		}
		if flag != "" && flags[flag] || page != "" && names[page] {
			t.Errorf("%s: another row has the flag %q or the name in golem.js %q", o.Name, flag, page)
		}
		if flag != "" && o.Flag.Help == "" {
			t.Errorf("%s: give the flag Help, a line of --help", o.Name)
		}
		flags[flag], names[page] = true, true
		for _, c := range strings.Fields(o.Flag.In) {
			if !slices.Contains(commands, c) {
				t.Errorf("%s: there is no command %s", o.Name, c)
			}
		}
		for _, x := range o.Flag.Excludes {
			name, _, _ := strings.Cut(x.Flag, " ")
			if !slices.ContainsFunc(options.All, func(o options.Option) bool { return o.FlagName() == name }) {
				t.Errorf("%s excludes --%s, which is no flag", o.Name, name)
			}
		}
	}
}

// TestDecode tests the request of a page: names and types are checked, numbers and texts of
// limits and settings keep their form, and null chooses nothing.
func TestDecode(t *testing.T) {
	var r options.Run
	err := options.Decode(options.Names, []byte(`{"model": "a:b", "maxDepth": 0, "maxTurns": 3, "limits": {"cost": 0.5, "tokens": 12345678, "tool_timeout": "1m"},
		"modelSettings": {"temperature": 0.20, "stop": ["x"], "reasoning_effort": "low"}, "resume": "", "at": 2, "changed": true, "strict": true, "trace": false,
		"env": {"A": "b"}, "entry": null}`), &r)
	if err != nil {
		t.Fatal(err)
	}
	zero, three, no, newest := 0, 3, false, ""
	want := options.Run{
		Opening: options.Opening{Model: "a:b", MaxDepth: &zero, MaxTurns: &three, Limits: options.Limits{"cost": "0.5", "tokens": "12345678", "tool_timeout": "1m"},
			ModelSettings: options.Settings{"temperature": "0.20", "stop": `["x"]`, "reasoning_effort": `"low"`}},
		Running: options.Running{Strict: true, Resume: &newest, At: 2, Changed: true},
		Page:    options.PageOnly{Trace: &no, Env: map[string]string{"A": "b"}},
	}
	if !reflect.DeepEqual(r, want) {
		t.Errorf("%+v, want %+v", r, want)
	}
	if got := r.RunLimits()["turns"]; got != "3" || r.Limits["turns"] != "" {
		t.Errorf("the limit turns is %q", got)
	}
	for text, wrong := range map[string]string{
		`{"modle": "x"}`:     `there is no option "modle" did you mean model`,
		`{"max-depth": 1}`:   `there is no option "max-depth" did you mean maxDepth`,
		`{"plain": true}`:    `there is no option "plain"`,
		`{"attachment": []}`: `there is no option "attachment" did you mean attachments`,
		`{"at": "x"}`:        `the option at is not valid`,
		`{"limits": 3}`:      `the option limits is not valid`,
		`[]`:                 `the options are not an object`,
	} {
		err := options.Decode(options.Names, []byte(text), &r)
		if f := fault.Of(err, fault.Tool); err == nil || f.Code != fault.Usage || !strings.HasPrefix(f.Message+" "+f.Hint, wrong) {
			t.Errorf("%s: %v, want %s", text, err, wrong)
		}
	}
}

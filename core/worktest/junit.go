package worktest

import (
	"fmt"
	"strings"

	"golem/core/fault"
)

// JUnit returns the report in the form of JUnit, for continuous integration. A stale case and
// one that could not be judged are errors.
func (r Report) JUnit() []byte {
	var b strings.Builder
	broken, _ := r.Faults.Counts()
	fmt.Fprintf(&b, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"golem test\" tests=\"%d\" failures=\"%d\" errors=\"%d\">\n", len(r.Verdicts)+broken, r.Failed, r.Stale+r.Unjudged+broken)
	for i := 0; i < len(r.Verdicts); {
		file, end := r.Verdicts[i].File, i
		failed, wrong := 0, 0
		for ; end < len(r.Verdicts) && r.Verdicts[end].File == file; end++ {
			switch r.Verdicts[end].Status {
			case Passed:
			case Failed:
				failed++
			default:
				wrong++
			}
		}
		fmt.Fprintf(&b, "  <testsuite name=\"%s\" tests=\"%d\" failures=\"%d\" errors=\"%d\">\n", xml(file), end-i, failed, wrong)
		for ; i < end; i++ {
			b.WriteString(r.Verdicts[i].junit())
		}
		b.WriteString("  </testsuite>\n")
	}
	for _, f := range r.Faults {
		if f.Severity == fault.Warning {
			continue
		}
		file := ""
		if f.Where != nil {
			file = f.Where.File
		}
		fmt.Fprintf(&b, "  <testsuite name=\"%s\" tests=\"1\" failures=\"0\" errors=\"1\">\n    <testcase name=\"the file\" classname=\"%[1]s\"><error type=\"%s\" message=\"%s\"/></testcase>\n  </testsuite>\n", xml(file), f.Code, xml(f.Error()))
	}
	b.WriteString("</testsuites>\n")
	return []byte(b.String())
}

func (v Verdict) junit() string {
	name := v.Case
	if v.Sample > 0 {
		name += fmt.Sprintf(" #%d", v.Sample)
	}
	if v.Model != "replay" {
		name += " (" + v.Model + ")"
	}
	head := fmt.Sprintf("    <testcase name=\"%s\" classname=\"%s\" time=\"%.3f\"", xml(name), xml(v.File), float64(v.MS)/1000)
	switch {
	case v.Status == Passed:
		return head + "/>\n"
	case v.Status == Failed:
		var parts []string
		for _, m := range v.Misses {
			parts = append(parts, m.What+": want "+m.Want+", got "+m.Got)
		}
		return head + fmt.Sprintf("><failure message=\"%s\"/></testcase>\n", xml(strings.Join(parts, "\n")))
	}
	return head + fmt.Sprintf("><error type=\"%s\" message=\"%s\"/></testcase>\n", v.Fault.Code, xml(v.Fault.Error()))
}

// xml returns a text as the value of an attribute, without characters that XML cannot have.
func xml(s string) string {
	clean := strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' || r == 0xFFFE || r == 0xFFFF {
			return '\uFFFD'
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "\n", "&#10;", "\t", "&#9;").Replace(clean)
}

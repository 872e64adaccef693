package scrub
import ("testing";"fmt";"errand/core")
func TestZZStat(t *testing.T) {
	e := typicalEvent(); _ = core.Event{}
	full, sep, none, fb, sb, nb := 0,0,0,0,0,0
	trig := map[trigger]int{}
	var do func(s string)
	do = func(s string) { if s=="" {return}; v := surveyOf(s); on := v.suspects(len(s)); switch on { case nil: none++; nb+=len(s); case &triggers: full++; fb+=len(s); default: sep++; sb += len(s)}
		if on != nil { for i := range len(s) { if k := on[s[i]]; k != 0 { trig[k]++ } } } }
	var val func(v core.Value)
	val = func(v core.Value) { if v.Kind==core.String { do(v.Text) }; for _,k := range v.Kids { do(k.Key); val(k.Value) } }
	u := func(s core.Untrusted) { do(string(s)) }
	for _,x := range e.Exceptions { u(x.Type);u(x.Value);u(x.Module); for _,f := range x.Frames { u(f.Function);u(f.Module);u(f.Filename);u(f.AbsPath);u(f.ContextLine); for _,l := range f.PreContext {u(l)}; for _,l := range f.PostContext {u(l)}; val(f.Vars)}}
	for _,b := range e.Breadcrumbs { u(b.Type);u(b.Category);u(b.Level);u(b.Message);val(b.Data)}
	val(e.User);val(e.Tags);val(e.Contexts);val(e.Extra); val(e.Request.Query);val(e.Request.Headers);val(e.Request.Cookies);val(e.Request.Data)
	fmt.Println("full",full,fb,"sep",sep,sb,"none",none,nb, trig)
}

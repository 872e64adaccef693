package scrub
import "errand/core"
type walkEv struct{ e *core.Event }
func count(e *core.Event, texts, keys *int) {
	var val func(v core.Value)
	val = func(v core.Value) { if v.Kind==core.String { *texts++ }; for _,k := range v.Kids { if v.Kind==core.Object {*keys++}; val(k.Value) } }
	t := func(s core.Untrusted) { if s != "" { *texts++ } }
	for _,x := range e.Exceptions { t(x.Type);t(x.Value);t(x.Module); for _,f := range x.Frames { t(f.Function);t(f.Module);t(f.Filename);t(f.AbsPath);t(f.ContextLine); for _,l := range f.PreContext {t(l)}; for _,l := range f.PostContext {t(l)}; val(f.Vars)}}
	for _,b := range e.Breadcrumbs { t(b.Type);t(b.Category);t(b.Level);t(b.Message);val(b.Data)}
	val(e.User);val(e.Tags);val(e.Contexts);val(e.Extra); val(e.Request.Query);val(e.Request.Headers);val(e.Request.Cookies);val(e.Request.Data)
}

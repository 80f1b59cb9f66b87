package trace

import (
	"encoding/json"
	"reflect"
)

// mapBody returns a copy of a body in which every string went through text and
// every piece of raw JSON through raw; a nil function changes nothing. The body
// itself does not change, because other sinks may use it.
func mapBody(b Body, text func(string) string, raw func(json.RawMessage) json.RawMessage) Body {
	in := reflect.ValueOf(b)
	if !in.IsValid() || in.Kind() != reflect.Struct {
		return b
	}
	out := reflect.New(in.Type()).Elem()
	mapInto(out, in, text, raw)
	if mapped, ok := out.Interface().(Body); ok {
		return mapped
	}
	return b
}

var rawType = reflect.TypeFor[json.RawMessage]()

func mapInto(out, in reflect.Value, text func(string) string, raw func(json.RawMessage) json.RawMessage) {
	if in.Type() == rawType {
		if raw == nil || in.IsNil() {
			out.Set(in)
			return
		}
		out.SetBytes(raw(in.Bytes()))
		return
	}
	switch in.Kind() {
	case reflect.String:
		s := in.String()
		if text != nil {
			s = text(s)
		}
		out.SetString(s)
	case reflect.Struct:
		out.Set(in) // copies unexported fields, too, such as a fault's cause
		for i := range in.NumField() {
			if in.Type().Field(i).IsExported() {
				mapInto(out.Field(i), in.Field(i), text, raw)
			}
		}
	case reflect.Pointer:
		if in.IsNil() {
			return
		}
		p := reflect.New(in.Type().Elem())
		mapInto(p.Elem(), in.Elem(), text, raw)
		out.Set(p)
	case reflect.Slice:
		if in.IsNil() {
			return
		}
		s := reflect.MakeSlice(in.Type(), in.Len(), in.Len())
		for i := range in.Len() {
			mapInto(s.Index(i), in.Index(i), text, raw)
		}
		out.Set(s)
	default:
		out.Set(in)
	}
}

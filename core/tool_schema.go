package core

import "maps"

// ToolInput is the schema of the input for a model. Every word in the list of tools costs tokens, so it leaves out
// bounds that nobody reaches. They still apply.
func (o *Operation) ToolInput() Schema {
	schema := maps.Clone(o.derive().input.schema)
	properties := Schema{}
	for i := range o.derive().input.fields {
		field := &o.derive().input.fields[i]
		trimmed := trimSchema(field.Schema)
		if field.isPlain {
			delete(trimmed, "description")
		}
		properties[field.Name] = trimmed
		if field.forModels != nil {
			properties[field.Name].(Schema)["default"] = field.forModels
		}
	}
	schema["properties"] = properties
	return schema
}

// trimSchema returns a schema without bounds that mean nothing to a model: the bounds of ids and texts, and the minimum of
// numbers that start at 1.
func trimSchema(s Schema) Schema {
	trimmed := maps.Clone(s)
	if trimmed["maximum"] == int64(maxID) {
		delete(trimmed, "maximum")
	}
	if minimum := trimmed["minimum"]; minimum == int64(-maxID) || minimum == int64(1) {
		delete(trimmed, "minimum")
	}
	delete(trimmed, "minLength")
	delete(trimmed, "minItems")
	delete(trimmed, "maxLength")
	if most, ok := trimmed["maxItems"].(int64); ok && most > 20 {
		delete(trimmed, "maxItems")
	}
	if items, ok := trimmed["items"].(Schema); ok {
		trimmed["items"] = trimSchema(items)
	}
	return trimmed
}

// ToolOutput is the schema of the answer, one level deep; nil for an operation without one, and for prose. Models read the answer itself.
func (o *Operation) ToolOutput() Schema {
	if o.derive().isProse {
		return nil
	}
	whole := o.OutputSchema(false)
	if whole == nil {
		return nil
	}
	members, _ := whole["properties"].(Schema)
	if data, there := members["data"]; there {
		warnings, warns := members[warningsField]
		if members = (Schema{"data": data}); warns {
			members[warningsField] = warnings
		}
	}
	properties := flattenMembers(members)
	schema := Schema{"type": "object", "properties": properties}
	if o.isHoldable { // the answer has two forms
		maps.Copy(properties, flattenMembers(HeldSchema()["properties"].(Schema)))
	}
	return schema
}

func flattenMembers(members Schema) Schema {
	flat := Schema{}
	for name, member := range members {
		s, _ := member.(Schema)
		flat[name] = Schema{}
		if kind := s["type"]; kind != nil {
			flat[name] = Schema{"type": kind}
		}
	}
	return flat
}

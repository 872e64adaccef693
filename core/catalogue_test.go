package core

import (
	"context"
	"log/slog"
	"net/http"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

// Parcel is a noun of an API other than /v1.
type Parcel struct {
	ID int64 `json:"id"`
}

type parcelInput struct {
	ID int64 `json:"id" min:"1"`
}

// parcelLost is an error that /v1 lacks.
const parcelLost Code = "parcel_lost"

// newParcels makes the catalogue of another API: one operation with its own noun and its own error.
func newParcels() (*Catalogue, Op[parcelInput, Data[Parcel]]) {
	sendParcel := DefineOperation[parcelInput, Data[Parcel]](Operation{
		Name: "send_parcel", Route: "POST /parcels/{id}", Scope: AnyToken, Errors: []Code{parcelLost},
	})
	errors := ErrorForms{parcelLost: {Status: http.StatusGone, Members: struct {
		Lost bool `json:"lost"`
	}{}}}
	for _, code := range []Code{Unauthorized, InvalidRequest, PayloadTooLarge, Internal, Unavailable} {
		errors[code] = v1Errors[code]
	}
	return NewCatalogue(errors, []*Operation{sendParcel.Operation}), sendParcel
}

func sendNothing(_ context.Context, _ Call, in parcelInput) (Data[Parcel], error) {
	return Data[Parcel]{Parcel(in)}, nil
}

func TestTwoCataloguesAreServedBesideEachOther(t *testing.T) {
	t.Parallel()
	catalogue, sendParcel := newParcels()
	parcels, err := NewRegistry(catalogue, slog.New(slog.DiscardHandler), BindHandler(sendParcel, sendNothing))
	require.NoError(t, err)
	issues, _ := registryWith(t)

	answer, failure := parcels.Call(t.Context(), sendParcel.Operation, adminCall(), map[string]any{"id": 7})

	require.Nil(t, failure)
	require.JSONEq(t, `{"data":{"id":7}}`, string(answer.Body))
	_, failure = issues.Call(t.Context(), sendParcel.Operation, adminCall(), map[string]any{"id": 7})
	requireBody(t, `{"error":"not_found"}`, failure)
	_, failure = parcels.Call(t.Context(), GetIssue.Operation, adminCall(), map[string]any{"id": 7})
	requireBody(t, `{"error":"not_found"}`, failure)
}

func TestCataloguesShareNothing(t *testing.T) {
	t.Parallel()

	catalogue, sendParcel := newParcels()

	require.Equal(t, []*Operation{sendParcel.Operation}, catalogue.Operations())
	require.Equal(t, []*Operation{sendParcel.Operation}, catalogue.Tools())
	require.NotContains(t, V1.Operations(), sendParcel.Operation)
	require.Equal(t, map[string]Schema{"Parcel": writtenOut[Parcel]()}, catalogue.Components())
	require.NotContains(t, V1.Components(), "Parcel")
	names, _ := catalogue.Errors().MembersOf(parcelLost)
	require.Equal(t, []string{"lost"}, names)
	require.NotContains(t, V1.Errors(), parcelLost)
}

// writtenOut is the schema of a noun.
func writtenOut[T any]() Schema {
	return DefineOperation[parcelInput, T](Operation{Name: "any"}).Operation.OutputSchema(false)
}

func TestNewRegistryRefusesAnOperationOfAnotherCatalogue(t *testing.T) {
	t.Parallel()
	catalogue, sendParcel := newParcels()

	_, err := NewRegistry(catalogue, slog.New(slog.DiscardHandler), BindHandler(sendParcel, sendNothing), bindNothing(Whoami.Operation))

	require.EqualError(t, err, "core: operation whoami is not in the catalogue: is it in the list of its resource?")
}

func TestNewCatalogueRefusesMistakes(t *testing.T) {
	t.Parallel()
	operation := Whoami.Operation
	require.PanicsWithValue(t, "core: two operations are called whoami", func() {
		NewCatalogue(v1Errors, []*Operation{operation}, []*Operation{operation})
	})
	require.Panics(t, func() { NewCatalogue(ErrorForms{}, []*Operation{operation}) }, "an error without a form")
}

// A generic type that is not written out needs a SchemaName: its own name has brackets.
func TestComponentsHavePlainNames(t *testing.T) {
	t.Parallel()
	for name := range V1.Components() {
		require.Regexp(t, regexp.MustCompile(`^[A-Z][A-Za-z]+$`), name)
	}
}

// TestNextCallsAreTools checks that every call which an operation or an error proposes is a tool.
func TestNextCallsAreTools(t *testing.T) {
	t.Parallel()
	var tools, proposed []string
	for _, op := range V1.Tools() {
		tools = append(tools, op.Name)
	}
	for _, op := range V1.Operations() {
		proposed = append(proposed, op.Next...)
	}
	for _, form := range v1Errors {
		proposed = append(proposed, form.Next...)
	}
	require.NotEmpty(t, proposed)
	require.Subset(t, tools, proposed)
}

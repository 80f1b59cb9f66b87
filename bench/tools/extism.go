package main

import (
	"context"
	"encoding/binary"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

// extismMemory is the part of extism:host/env that the small tool needs, without any checks.
type extismMemory struct {
	data, input, out []byte
}

func (m *extismMemory) begin(input []byte) { m.data, m.input, m.out = m.data[:0], input, nil }

func (m *extismMemory) alloc(n uint64) uint64 {
	at := len(m.data) + 8
	m.data = append(m.data, make([]byte, n+8)...)
	return uint64(at)
}

func (m *extismMemory) export(ctx context.Context, r wazero.Runtime) error {
	i32, i64 := api.ValueTypeI32, api.ValueTypeI64
	b := r.NewHostModuleBuilder("extism:host/env")
	for _, f := range []struct {
		name            string
		params, results []api.ValueType
		do              func(st []uint64)
	}{
		{"input_length", nil, []api.ValueType{i64}, func(st []uint64) { st[0] = uint64(len(m.input)) }},
		{"input_load_u8", []api.ValueType{i64}, []api.ValueType{i32}, func(st []uint64) { st[0] = uint64(m.input[st[0]]) }},
		{"input_load_u64", []api.ValueType{i64}, []api.ValueType{i64}, func(st []uint64) { st[0] = binary.LittleEndian.Uint64(m.input[st[0]:]) }},
		{"alloc", []api.ValueType{i64}, []api.ValueType{i64}, func(st []uint64) { st[0] = m.alloc(st[0]) }},
		{"store_u8", []api.ValueType{i64, i32}, nil, func(st []uint64) { m.data[st[0]] = byte(st[1]) }},
		{"store_u64", []api.ValueType{i64, i64}, nil, func(st []uint64) { binary.LittleEndian.PutUint64(m.data[st[0]:], st[1]) }},
		{"output_set", []api.ValueType{i64, i64}, nil, func(st []uint64) { m.out = m.data[st[0] : st[0]+st[1]] }},
		{"error_set", []api.ValueType{i64}, nil, func([]uint64) {}},
	} {
		b.NewFunctionBuilder().WithGoFunction(api.GoFunc(func(_ context.Context, st []uint64) { f.do(st) }), f.params, f.results).Export(f.name)
	}
	_, err := b.Instantiate(ctx)
	return err
}

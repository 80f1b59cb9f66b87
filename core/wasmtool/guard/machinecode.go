package guard

// maxMachineCode limits the machine code of one function, in bytes by the estimate of
// machineCode: wazero compiles no function of more than 16,777,215 bytes for arm64.
const maxMachineCode = 16_700_000

// machineCode returns an upper estimate of how many bytes of arm64 code an instruction becomes,
// with the checks that the guard and the engine add; the values of a call come on top. The numbers are those of functions that
// wazero refused, rounded up; what is not named here took less than 14 bytes for each byte of the
// instruction.
func machineCode(instruction []byte) int {
	op, second := instruction[0], byte(0)
	if len(instruction) > 1 {
		second = instruction[1]
	}
	switch {
	case op == opCall, op == opReturnCall:
		return 80
	case op == opCallIndirect, op == opReturnCallIndirect:
		return 280
	case op >= 0x28 && op <= 0x3e, op == opVector && (second <= 11 || second >= 84 && second <= 93): // loads and stores
		return 80
	case op >= 0x6d && op <= 0x70, op >= 0x7f && op <= 0x82: // division
		return 140
	case op >= 0xa8 && op <= 0xab, op >= 0xae && op <= 0xb1: // numbers with a point to whole ones
		return 160
	case op == opTableGet, op == opTableSet:
		return 112
	case op == opBulk && second >= 8:
		return 200
	}
	return 14 * len(instruction)
}

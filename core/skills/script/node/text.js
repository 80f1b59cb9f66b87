// TextEncoder and TextDecoder, for UTF-8.
export function encode(text) {
  const out = []
  for (const c of String(text)) {
    const code = c.codePointAt(0)
    if (code < 0x80) out.push(code)
    else if (code < 0x800) out.push(0xc0 | code >> 6, 0x80 | code & 63)
    else if (code < 0x10000) out.push(0xe0 | code >> 12, 0x80 | code >> 6 & 63, 0x80 | code & 63)
    else out.push(0xf0 | code >> 18, 0x80 | code >> 12 & 63, 0x80 | code >> 6 & 63, 0x80 | code & 63)
  }
  return new Uint8Array(out)
}

// decode decodes UTF-8. Bytes that are not UTF-8 become U+FFFD.
export function decode(bytes) {
  let out = ''
  for (let i = 0; i < bytes.length;) {
    const first = bytes[i++]
    const more = first < 0x80 ? 0 : first >> 5 === 6 ? 1 : first >> 4 === 14 ? 2 : first >> 3 === 30 ? 3 : -1
    let code = more < 0 ? 0xfffd : more === 0 ? first : first & (0x3f >> more)
    for (let left = more; left > 0; left--, i++) {
      if (i >= bytes.length || (bytes[i] & 0xc0) !== 0x80) {
        code = 0xfffd
        break
      }
      code = code << 6 | bytes[i] & 63
    }
    out += code > 0x10ffff ? '\ufffd' : String.fromCodePoint(code)
  }
  return out
}

globalThis.TextEncoder ??= class {
  encode(text = '') { return encode(text) }
}
globalThis.TextDecoder ??= class {
  decode(bytes = []) { return decode(bytes) }
}

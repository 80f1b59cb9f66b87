// An Extism plug-in as its authors write them: the functions of the public PDK
// and nothing of golem's. The description lies beside it, in vowels.tools.yaml.
import { Host, Var, Config } from '@extism/as-pdk'

function myAbort(_message: string | null, _file: string | null, _line: u32, _column: u32): void {}

export function count_vowels(): i32 {
  const given = Host.inputString()
  let count = 0
  for (let i = 0; i < given.length; i++) {
    if ('aeiouAEIOU'.includes(given.charAt(i))) count++
  }
  Var.set('calls', Uint8Array.wrap(String.UTF8.encode('one')))
  const kept = Var.get('calls')
  const unit = Config.get('unit')
  Host.outputString('{"count":' + count.toString() + ',"unit":"' + (unit === null ? 'vowels' : unit) + '","kept":"' + (kept === null ? '' : String.UTF8.decode(kept.buffer)) + '"}')
  return 0
}

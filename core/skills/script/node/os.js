// Node's package os, for scripts that only look where they are.
export const EOL = '\n'
export const homedir = () => '/'
export const tmpdir = () => '/tmp'
export const platform = () => 'golem'
export const cpus = () => []
export default {EOL, homedir, tmpdir, platform, cpus}

import './globals.js'
export default globalThis.process
export const {argv, env, exit, cwd, stdout, stderr, platform} = globalThis.process

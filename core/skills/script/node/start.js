// start.js runs before a script of a skill: it offers what scripts for Node and Deno expect.
import './globals.js'
import {Deno} from './deno.js'

globalThis.Deno = Deno

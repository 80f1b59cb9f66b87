import {promises} from './fs.js'
export const {readFile, writeFile, appendFile, stat, lstat, readdir, mkdir, unlink, copyFile, rename, rm, access} = promises
export default promises

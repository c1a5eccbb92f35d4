// Loads a packed function app as the platform's worker does, and prints the functions it registers. It needs nothing but Node, so that it can
// run where nothing is installed. `node startupSmoke.mjs FOLDER`
import { readFileSync } from 'node:fs'
import { Module } from 'node:module'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

const folder = process.argv[2]
if (folder === undefined) {
  console.error('name the folder of the package: node startupSmoke.mjs dist/functions')
  process.exit(2)
}

const names = []
let model
const registered = () => ({ dispose() {} })
const core = {
  version: '3.14.1',
  hostVersion: '4.1052.200',
  setProgrammingModel: (given) => {
    model = given
  },
  getProgrammingModel: () => model,
  registerFunction: ({ name }) => {
    names.push(name)
    return registered()
  },
  registerHook: registered,
  log() {},
  Disposable: class {},
}
// The worker hands its part to the app in the same way: it is no file.
const { require: found } = Module.prototype
Module.prototype.require = function (id) {
  return id === '@azure/functions-core' ? core : found.call(this, id)
}

const { main } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
JSON.parse(readFileSync(join(folder, 'host.json'), 'utf8'))
const start = performance.now()
await import(pathToFileURL(resolve(folder, main)).href)
const took = performance.now() - start
if (model === undefined || names.length === 0) {
  console.error(
    `${folder} registered nothing with the worker: functions ${names.length}, programming model ${model === undefined ? 'none' : 'set'}`,
  )
  process.exit(1)
}
console.log(`${folder} loaded in ${took.toFixed(0)} ms: ${names.sort().join(', ')}`)
// A program that only registers has nothing to keep the process alive; what does is a start-up side effect.
process.exit(0)

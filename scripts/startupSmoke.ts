// Loads a bundle of the function app and prints the functions it registers. `node scripts/startupSmoke.ts dist/functions/main.mjs`
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import { repositoryRoot } from './floors.ts'

const SAMPLE = 'local.settings.sample.json'
const Settings = z.object({ Values: z.record(z.string(), z.string()) })

const bundle = process.argv[2]
if (bundle === undefined) {
  console.error('name the bundle: node scripts/startupSmoke.ts dist/functions/main.mjs')
  process.exit(2)
}
const { Values } = Settings.parse(JSON.parse(readFileSync(join(repositoryRoot, SAMPLE), 'utf8')))
Object.assign(process.env, Values)
const start = performance.now()
await import(join(repositoryRoot, bundle))
console.log(`${bundle} loaded in ${(performance.now() - start).toFixed(0)} ms`)
// A program that only registers has nothing to keep the process alive; what does is a start-up side effect.
process.exit(0)

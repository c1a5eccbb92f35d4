// Takes the place of Bicep for azd where it is not installed: `build FILE --stdout` prints the template. Other commands end with 1, as an older Bicep
// ends that does not know them.
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs'
import { join, relative } from 'node:path'
import { createEvaluator } from '../evaluate/evaluate.ts'
import { armTemplate } from './armTemplate.ts'

const ROOT = join(import.meta.dirname, '..', '..', '..')
const [command = '', file = '', option] = process.argv.slice(2)

if (command === 'build' && option === '--stdout') {
  const evaluator = await createEvaluator(readText)
  console.log(JSON.stringify(armTemplate(evaluator, relative(ROOT, realpathSync(file)), digestOf('infra')), undefined, 2))
} else {
  console.error(`this stands in for Bicep, and has no command "${command}"`)
  process.exitCode = 1
}

function readText(path: string): string | undefined {
  const full = join(ROOT, path)
  return existsSync(full) ? readFileSync(full, 'utf8') : undefined
}

/** Templates read each other and texts beside them: any of these may change what is deployed. */
function digestOf(folder: string): string {
  const digest = createHash('sha256')
  const names = readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).filter((name) => /\.(bicep|json|kql)$/.test(name))
  for (const name of names.sort()) digest.update(name).update(readFileSync(join(ROOT, folder, name)))
  return digest.digest('hex')
}

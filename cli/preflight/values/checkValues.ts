import { closest } from '../../../shared/base/text.ts'
import { ownValue } from '../../../shared/base/values.ts'
import type { Environment } from '../../clusterAccess.ts'
import { appProblems } from './appSettings.ts'
import { AZD_VALUES, type ValueRow, WRITTEN_VALUES } from './azdValues.ts'
import { chartProblems } from './chartValues.ts'
import { placeOf } from './placeOf.ts'

/**
 * Returns what is wrong with the values of an environment of azd, each as a sentence that begins with the name of the value. Makes no
 * call, because it runs before azd has asked for the subscription.
 */
export function valueProblems(environment: Environment): readonly string[] {
  const alone = Object.entries(environment)
    .filter(([name, text]) => name.startsWith('JOINER_') && text !== undefined)
    .flatMap(([name, text = '']) => problemsOf(environment, name, text))
  // What is made of several values is checked once each of them can be read.
  return alone.length > 0 ? alone : [...chartProblems(environment), ...appProblems(environment)]
}

/** Returns the environment without values that are empty and only read by hooks: an empty one counts as not set. */
export function presentValues(environment: Environment): { readonly [name: string]: string } {
  return Object.fromEntries(Object.entries(environment).flatMap(([name, value]) => (value ? [[name, value]] : [])))
}

function problemsOf(environment: Environment, name: string, text: string): readonly string[] {
  if (WRITTEN_VALUES.has(name)) return []
  const row = ownValue<ValueRow>(AZD_VALUES, name)
  if (row === undefined) return [`${name}: is not known; ${hint(name)}; to remove it, delete its line in ${fileOf(environment)}`]
  if (text === '') return emptyProblems(environment, name, row)
  const read = row.schema.safeParse(text)
  return read.success ? [] : read.error.issues.map(({ path, message }) => `${placeOf(name, path)}: ${message}`)
}

/** azd leaves out a value that is not set, and sends one that is set and empty: the template has no default for that. */
function emptyProblems(environment: Environment, name: string, { use, fallback = '' }: ValueRow): readonly string[] {
  if (use === 'read' || fallback === '') return []
  const set = fallback === 'null' ? '' : `, or run: azd env set ${name} '${fallback}'`
  return [`${name}: is empty, and azd sends the empty text; delete its line in ${fileOf(environment)}${set}`]
}

function hint(name: string): string {
  const alike = closest(name, Object.keys(AZD_VALUES))
  return alike.length > 0 ? `did you mean ${alike.join(' or ')}?` : 'docs/install.md lists the values'
}

/** azd has no command that removes a value. */
function fileOf({ AZURE_ENV_NAME: name }: Environment): string {
  return `.azure/${name || 'ENVIRONMENT'}/.env`
}

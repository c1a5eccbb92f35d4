// Checks the files by which azd fills in parameters: each parameter exists, each required parameter is given, and each variable is known.
import { z } from 'zod'
import type { Finding } from '../evaluate/session.ts'
import type { BicepFile } from '../parse/syntax.ts'
import { AZD } from './azd.ts'
import { finding, type Rule } from './rule.ts'

const schema = z.object({ parameters: z.record(z.string(), z.object({ value: z.unknown() })) })
/** Beside the first layer, these take variables from people and not from an earlier layer. */
const ASKS = /\/(demo|roles)\.parameters\.json$/
/** Set by hooks. */
const HOOKS: ReadonlySet<string> = new Set(['JOINER_CLUSTER_FACTS', 'JOINER_APP_DEPLOYED', 'JOINER_FOUND_HEALTH_TOPIC_ID'])

const variablesIn = (value: unknown): readonly string[] =>
  [...JSON.stringify(value ?? null).matchAll(/\$\{([A-Za-z0-9_]+)/g)].flatMap(([, name]) => name ?? [])

export const parametersFiles: Rule = {
  name: 'parameters-file',
  check: ({ layers, readText }) => {
    const outputs = new Set<string>()
    return layers.flatMap(({ main }, at) => {
      const path = main.path.replace(/\.bicep$/, '.parameters.json')
      const found = checkFile(main, path, readText(path), at === 0 || ASKS.test(path) ? undefined : outputs)
      for (const each of main.declarations) if (each.kind === 'output') outputs.add(each.name)
      return found
    })
  },
}

/** Checks one file of parameters. `known` holds the outputs of earlier layers. It is undefined if people set the variables of the layer. */
function checkFile(main: BicepFile, path: string, text: string | undefined, known: ReadonlySet<string> | undefined): readonly Finding[] {
  const wrong = (message: string): Finding => finding('parameters-file', { file: path, line: 1 }, message)
  if (text === undefined) return [wrong('azd has no parameters for this template')]
  const parsed = schema.safeParse(JSON.parse(text))
  if (!parsed.success) return [wrong('it is no file of parameters')]
  const given = Object.entries(parsed.data.parameters)
  const parameters = main.declarations.filter((each) => each.kind === 'param')
  const variables = given.flatMap(([, { value }]) => variablesIn(value))
  const strange = variables.filter(
    (name) => !/^(AZURE|JOINER)_[A-Z0-9_]+$/.test(name) || (name.startsWith('AZURE_') && !AZD.has(name) && known?.has(name) !== true),
  )
  const late = known === undefined ? [] : variables.filter((name) => !known.has(name) && !AZD.has(name) && !HOOKS.has(name))
  return [
    ...given
      .filter(([name]) => !parameters.some((each) => each.name === name))
      .map(([name]) => wrong(`${main.path} has no parameter "${name}"`)),
    ...parameters
      .filter((each) => each.fallback === undefined && each.type.kind !== 'nullable' && !given.some(([name]) => name === each.name))
      .map((each) => wrong(`the parameter "${each.name}" is missing`)),
    ...variables.filter((name, at) => variables.indexOf(name) !== at).map((name) => wrong(`the variable ${name} fills two parameters`)),
    ...strange.map((name) => wrong(`nobody sets the variable ${name}`)),
    ...late.map((name) => wrong(`no layer before puts out ${name}`)),
  ]
}

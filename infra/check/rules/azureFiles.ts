// Checks the files and layers that azure.yaml names. azd ignores a template, hook or layer that does not exist, or reports it only in the middle of a
// deployment.
import { isNode, LineCounter, parseDocument } from 'yaml'
import * as z from 'zod'
import type { Finding } from '../evaluate/session.ts'
import { finding } from './rule.ts'

const PATH = 'azure.yaml'
const RULE = 'azure-yaml'

const hook = z.object({ run: z.string() })
const hooks = z.record(z.string(), z.union([hook.transform((one) => [one]), z.array(hook)])).default({})
const layer = z.object({
  name: z.string(),
  path: z.string(),
  module: z.string().default('main'),
  dependsOn: z.array(z.string()).default([]),
  hooks,
})
const service = z.object({ project: z.string().optional(), hooks })
const step = z.object({
  azd: z.union([z.string().transform((text) => text.split(' ')), z.object({ args: z.array(z.string()) }).transform(({ args }) => args)]),
})
const file = z.object({
  infra: z.object({ layers: z.array(layer).default([]) }).prefault({}),
  services: z.record(z.string(), service).default({}),
  hooks,
  workflows: z.object({ up: z.object({ steps: z.array(step) }).optional() }).prefault({}),
})

type Place = readonly (string | number)[]

/**
 * Returns the findings about azure.yaml. `isThere` takes paths from the root of the repository. A file that does not fit the schema has no findings
 * here.
 */
export function checkAzureFiles(text: string, isThere: (path: string) => boolean): readonly Finding[] {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines })
  const read = file.safeParse(document.toJS())
  if (document.errors.length > 0 || !read.success) return []
  const at = (place: Place, message: string): Finding => {
    const node = document.getIn(place, true)
    return finding(
      RULE,
      { file: PATH, line: isNode(node) && node.range ? lines.linePos(node.range[0]).line : 1 },
      `${place.join('.')}: ${message}`,
    )
  }
  const { infra, services, workflows } = read.data
  const names = infra.layers.map(({ name }) => name)
  const missing = (place: Place, path: string): readonly Finding[] => (isThere(path) ? [] : [at(place, `there is no ${path}`)])
  const missingHooks = (place: Place, folder: string, given: z.output<typeof hooks>): readonly Finding[] =>
    Object.entries(given).flatMap(([name, all]) => all.flatMap(({ run }) => missing([...place, name], `${folder}${run}`)))
  return [
    ...missingHooks(['hooks'], '', read.data.hooks),
    ...lateHooks(read.data.hooks).map((message) => at(['hooks', 'preprovision'], message)),
    ...infra.layers.flatMap(({ path, module, dependsOn, hooks: own }, index) => {
      const place = ['infra', 'layers', index]
      return [
        ...missing([...place, 'module'], `${path}/${module}.bicep`),
        ...missing([...place, 'module'], `${path}/${module}.parameters.json`),
        ...dependsOn
          .filter((name) => !names.slice(0, index).includes(name))
          .map((name) => at([...place, 'dependsOn'], `no layer before this one is named ${name}`)),
        ...missingHooks([...place, 'hooks'], `${path}/`, own),
      ]
    }),
    ...Object.entries(services).flatMap(([name, { project = '.', hooks: own }]) => [
      ...missing(['services', name, 'project'], project),
      ...missingHooks(['services', name, 'hooks'], `${project}/`, own),
    ]),
    ...wrongSteps(workflows.up?.steps ?? [], names).map(([index, message]) => at(['workflows', 'up', 'steps', index], message)),
  ]
}

/** `azd up` asks for the parameters of the template before `preprovision` has run, as seen with azd 1.31.2. */
function lateHooks({ preup = [], preprovision = [] }: z.output<typeof hooks>): readonly string[] {
  return preprovision
    .filter(({ run }) => !preup.some((each) => each.run === run))
    .map(({ run }) => `azd up reads parameters before ${run} runs: name it as preup, too`)
}

/**
 * Finds steps of `azd up` that provision an unknown layer or may skip theirs, and layers that no step provisions. azd compares a layer with its last
 * deployment, not with Azure, as seen with azd 1.31.2.
 */
function wrongSteps(steps: readonly z.output<typeof step>[], layers: readonly string[]): readonly (readonly [number, string])[] {
  const provisioned = steps.flatMap(({ azd: [command, name] }) => (command === 'provision' && name !== undefined ? [name] : []))
  const unknown = steps.flatMap(({ azd: [command, name] }, index) =>
    command === 'provision' && name !== undefined && !layers.includes(name) ? [[index, `there is no layer ${name}`] as const] : [],
  )
  const skipped = steps.flatMap(({ azd: [command, name = 'every layer', ...options] }, index) =>
    command === 'provision' && !options.includes('--no-state')
      ? [[index, `azd skips ${name} if its template has not changed, whatever is missing in Azure: add --no-state`] as const]
      : [],
  )
  const left = provisioned.length === 0 ? [] : layers.filter((name) => !provisioned.includes(name))
  return [...unknown, ...skipped, ...left.map((name) => [0, `layer ${name} is never provisioned`] as const)]
}

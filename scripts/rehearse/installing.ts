// What `azd up` must have done: the first time, and once more after rights were taken away.
import { isDeepStrictEqual } from 'node:util'
import { NAMESPACES } from '../../cli/preflight/readInstallFacts.ts'
import type { Json } from '../../infra/check/evaluate/value.ts'
import type { Document } from '../../local/azure/arm/armState.ts'
import { requireSuccess } from './armCaller.ts'
import { jsonIn, type Values } from './azd/driver.ts'
import { objectOf } from './deployTemplate.ts'
import type { Rehearsal } from './rehearsal.ts'
import { requireWell } from './runHook.ts'

/** The lines of hooks, without those of azd itself. */
const HOOK_LINE = /^(ok|warn|FAIL|skip|cost|workbook|logs|app|address) /

export async function firstUp({ step, world, templates, driver, platform }: Rehearsal): Promise<void> {
  await step('azd up', async () => {
    for (const name of NAMESPACES) world.azure.setProvider(`Microsoft.${name}`, 'NotRegistered')
    const lines = requireWell(await driver.up()).lines.filter((line) => HOOK_LINE.test(line))
    const skipped = lines.filter((line) => line.startsWith('skip'))
    if (skipped.length > 0) throw new Error(`the preflight was not told everything: ${skipped.join('; ')}`)
    const values = driver.values()
    requireDescribed(templates.clusters, jsonIn(values, 'JOINER_CLUSTER_FACTS'))
    const { installation } = await platform()
    const count = Object.keys(installation.settings).length
    return [
      `by ${driver.name}, rbac=${templates.rbac}; the zip started with the ${count} settings of the template and no other\n${[...new Set(lines)].join('\n')}`,
      undefined,
    ]
  })
}

const ASSIGNMENTS = 'Microsoft.Authorization/roleAssignments'

/** `azd up` may be run again: nothing is new, and what was taken away comes back. */
export async function secondUp({ step, world: { azure }, templates, driver }: Rehearsal): Promise<void> {
  await step('azd up again', async () => {
    const first = azure.resources()
    const taken = assignmentOfApp(first, driver.values())
    requireSuccess('take a right away', await templates.arm('DELETE', taken, '2022-04-01'))
    requireWell(await driver.up())
    requireSame(first, azure.resources())
    return [`no resource is new, and the right that was taken away is back`, undefined]
  })
}

function assignmentOfApp(resources: readonly Document[], { JOINER_APP_PRINCIPAL_ID: app }: Values): string {
  const found = resources.find(({ type, properties }) => type === ASSIGNMENTS && isOf(properties, app))
  if (found === undefined) throw new Error('the app has no rights')
  return found.id
}

const isOf = (properties: unknown, principalId: unknown): boolean =>
  typeof properties === 'object' && properties !== null && 'principalId' in properties && properties.principalId === principalId

/** Compares what the hook wrote for each cluster with what the local Azure has, without the overrides. */
function requireDescribed(given: Json, described: Json): void {
  const [wanted, found] = [given, described].map((clusters) => (Array.isArray(clusters) ? clusters : []).map(withoutOverrides))
  if (!isDeepStrictEqual(wanted, found)) throw new Error(`the hook wrote ${JSON.stringify(found)}, and not ${JSON.stringify(wanted)}`)
}

function withoutOverrides(cluster: Json): Json {
  const { overrides: _, ...rest } = objectOf(cluster)
  return rest
}

function requireSame(first: readonly Document[], second: readonly Document[]): void {
  const now = new Map(second.map((each) => [each.id.toLowerCase(), each]))
  for (const one of first) {
    const found = now.get(one.id.toLowerCase())
    if (!isDeepStrictEqual(one, found))
      throw new Error(`the second run changed ${one.id}: ${JSON.stringify(one)} became ${JSON.stringify(found)}`)
  }
  const before = new Set(first.map(({ id }) => id.toLowerCase()))
  const made = second.flatMap(({ id }) => (before.has(id.toLowerCase()) ? [] : [id]))
  if (made.length > 0) throw new Error(`the second run made what the first had not: ${made.join(', ')}`)
}

/**
 * Step 1: every action of the roles of the app, and every action that the deployer needs. A list is read, and a resource that is not there is
 * deleted: neither has an effect. All other actions are looked up among the permissions that Azure tells of the caller.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import { ownValue } from '../../shared/base/ownValue.ts'
import { isGranted } from '../../shared/engine/preflight/isGranted.ts'
import type { ClusterFacts } from '../../shared/model/clusterFacts.ts'
import { type ArmAnswer, armFault, armList, isFine, member } from '../armCall.ts'
import type { Environment } from '../clusterAccess.ts'
import { neededAt } from '../preflight/deployerNeeds.ts'
import type { InstallOptions } from '../preflight/installOptions.ts'
import type { SmokeCluster } from './smokeCluster.ts'
import { done, failed, groupPath, type SmokeRun, type StepOutcome } from './smokeRun.ts'

const roles = z.object({ custom: z.record(z.string(), z.array(z.string())) })
const CUSTOM = roles.parse(JSON.parse(readFileSync(join(import.meta.dirname, '../../infra/roles.json'), 'utf8'))).custom
const VERSION = '2022-04-01'

type Granted = readonly { readonly actions: readonly string[]; readonly notActions: readonly string[] }[]
const granted = z.array(z.object({ actions: z.array(z.string()).default([]), notActions: z.array(z.string()).default([]) }))

/** What is known of the installation. `principalId`: the identity of the app, once it is there. */
export type RightsOf = {
  readonly environment: Environment
  readonly wishes: InstallOptions
  readonly facts: ClusterFacts
  readonly principalId: string | undefined
}

/** What the step uses of a run. */
type RightsRun = Pick<SmokeRun, 'arm' | 'redactor'> & { readonly cluster: Pick<SmokeCluster, 'config' | 'resourceId'> }

type Checked = { readonly action: string; readonly scope: string; readonly by: 'login' | 'app'; readonly works: boolean }

export async function rightsStep(run: RightsRun, of: RightsOf, signal: AbortSignal): Promise<StepOutcome> {
  const checked = [...(await rightsOfLogin(run, of, signal)), ...(await rightsOfApp(run, of, signal))]
  const working = checked.filter(({ works }) => works)
  const text = `${working.length} of ${checked.length} actions work`
  const figures = { actions: checked.length, working: working.length }
  const missing = checked.filter(({ works }) => !works).map(({ by, action, scope }) => `${by}: ${action} on ${run.redactor.text(scope)}`)
  if (missing.length === 0) return done(text, figures)
  return { ...failed(`${text}; missing: ${missing.join(', ')}`), figures }
}

/** Where the actions of each role of the app are needed. */
function scopesOfApp(run: RightsRun): { readonly [role: string]: string } {
  const { config, resourceId } = run.cluster
  const subscription = `/subscriptions/${config.subscriptionId}`
  return {
    nodeGroup: groupPath(run),
    subnet: config.vnetSubnetId,
    network: config.vnetSubnetId.replace(/\/subnets\/[^/]+$/i, ''),
    cluster: resourceId,
    subscription,
  }
}

/** The actions of the app are tried by the caller, too: the machines of the next steps are made by the caller. */
async function rightsOfLogin(run: RightsRun, { environment, wishes, facts }: RightsOf, signal: AbortSignal): Promise<readonly Checked[]> {
  const needs = new Map<string, Set<string>>()
  const add = (scope: string, actions: readonly string[]): void => {
    const held = needs.get(scope) ?? new Set()
    for (const action of actions) held.add(action)
    needs.set(scope, held)
  }
  for (const { scope, needs: actions } of neededAt(environment, wishes, [facts])) add(scope, actions)
  const scopes = scopesOfApp(run)
  for (const [role, actions] of Object.entries(CUSTOM)) add(ownValue(scopes, role) ?? '', actions)
  add(scopes['nodeGroup'] ?? '', ['Microsoft.Compute/virtualMachines/simulateEviction/action'])
  const checked: Checked[] = []
  for (const [scope, actions] of needs) {
    const answer = await run.arm(
      { method: 'GET', path: `${scope}/providers/Microsoft.Authorization/permissions`, version: VERSION },
      signal,
    )
    const told = isFine(answer) ? granted.safeParse(member(answer.body, 'value')).data : undefined
    for (const action of actions) {
      const works = (await tried(run, scope, action, signal)) ?? isGranted(action, told ?? [])
      checked.push({ action, scope, by: 'login', works })
    }
  }
  return checked
}

const TRIES: { readonly [type: string]: string } = {
  'Microsoft.Compute/virtualMachines': '2025-04-01',
  'Microsoft.Compute/disks': '2025-01-02',
  'Microsoft.Network/networkInterfaces': '2025-05-01',
}
/** No resource has this name: names of Joiner's resources begin with a prefix and a hyphen. */
const NOBODY = 'joinersmokenothing'

/** Tries an action without effect. Undefined: it cannot be tried without one. */
async function tried(run: RightsRun, scope: string, action: string, signal: AbortSignal): Promise<boolean | undefined> {
  const [, type = '', verb] = /^(.+)\/(read|delete)$/.exec(action) ?? []
  const version = ownValue(TRIES, type)
  if (version === undefined || !/^\/subscriptions\/[^/]+\/resourceGroups\/[^/]+$/i.test(scope)) return undefined
  const path = `${scope}/providers/${type}`
  const answer = await run.arm(
    verb === 'read' ? { method: 'GET', path, version } : { method: 'DELETE', path: `${path}/${NOBODY}`, version },
    signal,
  )
  return verdictOf(action, answer)
}

function verdictOf(action: string, answer: ArmAnswer): boolean {
  if (answer.status === 401 || answer.status === 403) return false
  if (isFine(answer) || answer.status === 404) return true
  throw armFault(`try ${action}`, answer)
}

/** The actions that the roles of the app's identity hold, by its assignments. Empty where there is no app yet. */
async function rightsOfApp(run: RightsRun, { principalId }: RightsOf, signal: AbortSignal): Promise<readonly Checked[]> {
  if (principalId === undefined || principalId === '') return []
  const scopes = scopesOfApp(run)
  const definitions = new Map<string, Granted>()
  const checked: Checked[] = []
  for (const [role, actions] of Object.entries(CUSTOM)) {
    const scope = ownValue(scopes, role) ?? ''
    const held = await assignedAt(run, { scope, principalId, definitions }, signal)
    for (const action of actions) checked.push({ action, scope, by: 'app', works: isGranted(action, held) })
  }
  return checked
}

async function assignedAt(
  run: RightsRun,
  { scope, principalId, definitions }: { readonly scope: string; readonly principalId: string; readonly definitions: Map<string, Granted> },
  signal: AbortSignal,
): Promise<Granted> {
  const query = { $filter: `assignedTo('${principalId}')` }
  const path = `${scope}/providers/Microsoft.Authorization/roleAssignments`
  const held: Granted[] = []
  for (const assignment of await armList(run.arm, { path, version: VERSION, query }, signal)) {
    const id = member(member(assignment, 'properties'), 'roleDefinitionId')
    if (typeof id !== 'string') continue
    const known = definitions.get(id) ?? (await definitionOf(run, id, signal))
    definitions.set(id, known)
    held.push(known)
  }
  return held.flat()
}

async function definitionOf(run: RightsRun, id: string, signal: AbortSignal): Promise<Granted> {
  const answer = await run.arm({ method: 'GET', path: id, version: VERSION }, signal)
  if (!isFine(answer)) throw armFault(`read role ${id}`, answer)
  return granted.safeParse(member(member(answer.body, 'properties'), 'permissions')).data ?? []
}

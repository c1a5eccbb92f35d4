/**
 * Step 1: every action of the roles of the app, and every action that the deployer needs. An action of the app is tried without effect where a
 * request can show it. All other actions are looked up among the permissions that Azure tells of the caller.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import { ownValue } from '../../shared/base/values.ts'
import { isGranted } from '../../shared/engine/preflight/isGranted.ts'
import type { ClusterFacts } from '../../shared/model/clusterFacts.ts'
import { type ArmAnswer, armFault, armList, isFine, member } from '../armCall.ts'
import type { Environment } from '../clusterAccess.ts'
import { neededAt } from '../preflight/deployerNeeds.ts'
import type { InstallOptions } from '../preflight/installOptions.ts'
import { tryOf } from './actionTries.ts'
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

type Checked = {
  readonly action: string
  readonly scope: string
  readonly by: 'login' | 'app'
  readonly works: boolean
  /** A request showed it. Otherwise Azure's list of permissions tells it. */
  readonly isTried: boolean
}

export async function rightsStep(run: RightsRun, of: RightsOf, signal: AbortSignal): Promise<StepOutcome> {
  const checked = [...(await rightsOfLogin(run, of, signal)), ...(await rightsOfApp(run, of, signal))]
  const working = checked.filter(({ works }) => works)
  const tries = checked.filter(({ isTried }) => isTried)
  const text = `${working.length} of ${checked.length} actions work, ${tries.length} of them tried, the others as Azure tells`
  const figures = { actions: checked.length, working: working.length, tried: tries.length }
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
      const shown = await tried(run, scope, action, signal)
      checked.push({ action, scope, by: 'login', works: shown ?? isGranted(action, told ?? []), isTried: shown !== undefined })
    }
  }
  return checked
}

/** Tries an action without effect. Undefined: no request shows whether it works. */
async function tried(run: RightsRun, scope: string, action: string, signal: AbortSignal): Promise<boolean | undefined> {
  const { location, vnetSubnetId: subnetId } = run.cluster.config
  const call = tryOf(action, { scope, location, subnetId })
  return call && verdictOf(action, await run.arm(call, signal))
}

/**
 * A validation may be denied itself, or refuse the resource for a reason of its service. Whether it has checked the right to write before is not
 * published.
 */
function verdictOf(action: string, answer: ArmAnswer): boolean | undefined {
  const { status } = answer
  if (isFine(answer) || status === 404) return true
  const [, denied] = DENIED.exec(JSON.stringify(answer.body ?? '')) ?? []
  if (denied?.toLowerCase() === action.toLowerCase()) return false
  if (action.endsWith('/write') && (status === 400 || status === 403)) return undefined
  if (status === 401 || status === 403) return false
  throw armFault(`try ${action}`, answer)
}

/** The words of AuthorizationFailed, and of InvalidTemplateDeployment where a validation may not write a resource. */
const DENIED = /does not have (?:authorization|permission) to perform action '([^']+)'/

/** The actions that the roles of the app's identity hold, by its assignments. Empty where there is no app yet. */
async function rightsOfApp(run: RightsRun, { principalId }: RightsOf, signal: AbortSignal): Promise<readonly Checked[]> {
  if (principalId === undefined || principalId === '') return []
  const scopes = scopesOfApp(run)
  const definitions = new Map<string, Granted>()
  const checked: Checked[] = []
  for (const [role, actions] of Object.entries(CUSTOM)) {
    const scope = ownValue(scopes, role) ?? ''
    const held = await assignedAt(run, { scope, principalId, definitions }, signal)
    for (const action of actions) checked.push({ action, scope, by: 'app', works: isGranted(action, held), isTried: false })
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

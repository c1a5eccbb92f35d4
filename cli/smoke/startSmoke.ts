import type { AroundCall } from '../../shared/adapters/azure/clients.ts'
import { settle } from '../../shared/base/concurrency.ts'
import { ownValue } from '../../shared/base/values.ts'
import { Fault, problem } from '../../shared/model/problem.ts'
import type { Clock } from '../../shared/ports/clock.ts'
import { type Access, type Environment, tenantIn } from '../clusterAccess.ts'
import { idOf } from '../clusterName.ts'
import type { InstallOptions } from '../preflight/installOptions.ts'
import { appOf } from './appTrial.ts'
import type { KindName } from './kinds.ts'
import { newRecord, type SmokeRecord } from './record.ts'
import { createRecorder } from './recorder.ts'
import { createRedactor } from './redact.ts'
import { type Print, runSmoke } from './runSmoke.ts'
import { letsMachinesJoin, openSmokeCluster, type SmokeCluster } from './smokeCluster.ts'
import { smokeCost } from './smokeCost.ts'
import type { Journal } from './smokeRun.ts'

export type SmokeWish = {
  readonly resourceId: string
  readonly kinds: readonly KindName[]
  /** The record of the run to go on with. */
  readonly resume: SmokeRecord | undefined
  readonly onlyRemove: boolean
  /** The most that the machines may cost, in dollars. */
  readonly maxCost: number
  readonly environment: Environment
  readonly wishes: InstallOptions
}

export type SmokeDeps = {
  /** Opens Azure with the login of the caller. Each call to ARM goes through `around`. */
  readonly open: (around: AroundCall) => Access
  readonly clock: Clock
  /** Keeps the record. It is safe when this returns. */
  readonly write: (record: SmokeRecord) => void
  readonly print: Print
  /** Asks a person. Answers yes where nobody is to be asked. */
  readonly ask: (question: string) => Promise<boolean>
  /** Makes up the name of a run: six letters and digits. */
  readonly runName: () => string
}

/** Opens the cluster, asks, and runs. Returns the exit code. */
export async function startSmoke(wish: SmokeWish, deps: SmokeDeps, stop: AbortSignal): Promise<0 | 1> {
  const started = await settle(() => start(wish, deps, stop))
  if (started.ok) return started.value
  if (!(started.error instanceof Fault)) throw started.error
  deps.print(`FAIL  ${started.error.problem.code}   ${started.error.message}`)
  return 1
}

async function start(wish: SmokeWish, deps: SmokeDeps, stop: AbortSignal): Promise<0 | 1> {
  const { print, write } = deps
  const [, , subscription] = wish.resourceId.split('/')
  const redactor = createRedactor({ subscription, tenant: tenantIn(wish.environment) })
  let record = wish.resume ?? newRecord(deps.runName(), new Date(deps.clock.now()), wish.kinds)
  const recorder = createRecorder(redactor, record.answers)
  const access = deps.open(recorder.around)
  const facts = await access.facts(wish.resourceId)
  if (!facts.ok) throw new Fault('open the cluster', facts.error)
  const overrides = ownValue(wish.wishes.overrides, idOf(wish.resourceId)) ?? {}
  const target = { resourceId: wish.resourceId, overrides, pricesEndpoint: wish.environment['PRICES_ENDPOINT'] }
  const cluster = await openSmokeCluster(target, record.run, access)
  if (!cluster.ok) throw new Fault('open the cluster', cluster.error)
  const { environment, wishes, resourceId } = wish
  const app = wish.onlyRemove ? NO_APP : await appOf({ environment, clusterIds: wishes.clusterIds, resourceId }, access)
  if (!wish.onlyRemove && !(await isAgreed(wish, { cluster: cluster.value, isThroughApp: 'name' in app }, deps, stop))) return 1
  const journal: Journal = {
    record: () => record,
    change: (change) => {
      record = { ...change(record), answers: [...recorder.answers()] }
      write(record)
    },
  }
  const principalId = wish.environment['JOINER_APP_PRINCIPAL_ID']
  const rights = { environment: wish.environment, wishes: wish.wishes, facts: facts.value, principalId }
  const run = { cluster: cluster.value, arm: access.arm, clock: deps.clock, journal, redactor }
  return runSmoke({ kinds: wish.kinds, rights, app, onlyRemove: wish.onlyRemove }, run, print, stop)
}

const NO_APP = { why: 'this run only removes' }

/** Refuses a cluster in which no machine could join, before anything is made. Then asks, with the cost. */
async function isAgreed(
  wish: SmokeWish,
  { cluster, isThroughApp }: { readonly cluster: SmokeCluster; readonly isThroughApp: boolean },
  { ask, print, clock }: SmokeDeps,
  stop: AbortSignal,
): Promise<boolean> {
  const { unsupported } = cluster.config
  if (unsupported.length > 0)
    throw new Fault(`make a machine in ${wish.resourceId}`, problem('CLUSTER.UNSUPPORTED', unsupported.join('; ')))
  if (!(await letsMachinesJoin(cluster, { clock, print }, stop))) {
    const why = 'no binding of the cluster lets machines of Joiner join, so the chart is not installed; run: azd up'
    throw new Fault(`make a machine in ${wish.resourceId}`, problem('KUBE.FORBIDDEN', why))
  }
  const { text, dollars } = await smokeCost(cluster, { kinds: wish.kinds, isThroughApp }, clock.now(), stop)
  // An unknown price may be any price.
  if (dollars === undefined || dollars > wish.maxCost) {
    const why = dollars === undefined ? 'a price is not known' : `that is more than $${wish.maxCost.toFixed(2)}`
    print(`nothing was made: ${text}, and ${why}; to do: name fewer kinds, or allow more with --max-cost`)
    return false
  }
  if (await ask(`Make ${text} in ${idOf(wish.resourceId)}, and remove them after about 15 minutes?`)) return true
  print('nothing was made')
  return false
}

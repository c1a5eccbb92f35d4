import * as z from 'zod'
import { err, ok, type Result } from '../shared/base/result.ts'
import { FLOW_LIMITS } from '../shared/flows/deps/flowLimits.ts'
import { LONGEST_DELAY } from '../shared/model/message.ts'
import { Fault, type Problem, problem } from '../shared/model/problem.ts'
import { durationMs } from '../shared/model/units.ts'
import { type ClusterEntry, parseClusterEntries } from '../shared/wire/clusterEntry.ts'
import { defaultSpreadSetting } from './defaultSpreadSetting.ts'
import { DEFAULT_SCHEDULES } from './scheduleSettings.ts'
import { parseSchedule } from './schedules.ts'
import { settingConflicts } from './settingRules.ts'

const MS_BY_UNIT: { readonly [unit: string]: number } = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 }

const duration = z
  .string()
  .regex(/^\d+(ms|s|m|h)$/, 'must be a whole number with a unit, for example 1s or 500ms')
  .transform((text) => {
    const [, count = '0', unit = 'ms'] = /^(\d+)(ms|s|m|h)$/.exec(text) ?? []
    return Number(count) * (MS_BY_UNIT[unit] ?? 1)
  })
  .refine((ms) => ms <= LONGEST_DELAY, 'must be at most 168h: seven days, which is how long a message can wait')
  .transform(durationMs)
const url = z.url({ protocol: /^https?$/, message: 'must be an http or https address' })
const resourceId = z.string().regex(/^(\/[-\w.()]+)+$/, 'must be a resource id, without characters that an address has to escape')
const schedule = z
  .string()
  .refine(
    (text) => parseSchedule(text) !== undefined,
    'must be an NCRONTAB expression of six fields: second minute hour day month weekday, for a time that comes',
  )

/**
 * Every setting of the app, its rule, its default and what it is for: the only copy. `local.settings.sample.json` lists the same names, and
 * `npm run generate` writes `docs/reference.md` from it.
 */
export const SETTINGS = z.object({
  /** Connection string of the storage account; only where identity is not to be had, as on loopback. */
  AzureWebJobsStorage: z.string().min(1).optional(),
  /** Name of the storage account, reached by identity; one of the two must be set. */
  AzureWebJobsStorage__accountName: z.string().min(3).optional(),
  /** Address of its blobs; without it that of the public cloud, from the name. */
  AzureWebJobsStorage__blobServiceUri: url.optional(),
  /** Address of its queues, in the same way. */
  AzureWebJobsStorage__queueServiceUri: url.optional(),
  /** JSON array, one entry a cluster: its resource id, and what Azure does not say of it. */
  JOINER_CLUSTERS: z.string().min(2),
  /** Tenant of the app. Its tokens count where `ENTRA_AUDIENCE` is set. */
  ENTRA_TENANT_ID: z.string().min(1),
  /** What those tokens must be made for: an app registration of yours. Without it readers come by their cluster only. Needed where `SHIM_AUTH` is `entra`. */
  ENTRA_AUDIENCE: z.string().min(1).optional(),
  /** Where the tenant's keys are. */
  ENTRA_AUTHORITY: url.default('https://login.microsoftonline.com'),
  /** `serviceAccount`: the forwarder shows a token of its cluster's own issuer; `entra`: one of the tenant. `shimAuth` of the chart says the same. */
  SHIM_AUTH: z.enum(['serviceAccount', 'entra']).default('serviceAccount'),
  /** Whom tokens of service accounts must be made for, those of shims and of readers: `audience` of the chart. */
  SHIM_AUDIENCE: z.string().min(1).default('api://joiner'),
  /** `function`: Event Grid calls the app; `queue`: it writes to the queue `interruption`, which the app reads. */
  EVENT_DELIVERY: z.enum(['function', 'queue']).default('function'),
  /** Where telemetry goes, as docs/monitoring.md says; empty: nowhere. */
  APPLICATIONINSIGHTS_CONNECTION_STRING: z
    .string()
    .regex(/InstrumentationKey=/, 'must name an InstrumentationKey')
    .optional(),
  /** `ClientId=...;Authorization=AAD`: the identity that sends telemetry; empty: whoever has the connection string. */
  APPLICATIONINSIGHTS_AUTHENTICATION_STRING: z
    .string()
    .regex(/^(ClientId=[^;]+;)?Authorization=AAD;?$/, 'must be Authorization=AAD, after ClientId=...; where an identity is meant')
    .optional(),
  /** Resource id of the workbook. With it Events, conditions and the status link to the portal. */
  WORKBOOK_ID: resourceId.optional(),
  /** Resource id of the workspace of the logs. With it, too, the status links to what was told of each decision. */
  LOG_WORKSPACE_ID: resourceId.optional(),
  /** The portal of the cloud. */
  PORTAL_ENDPOINT: url.default('https://portal.azure.com'),
  /** Client id of the app's managed identity; empty: whoever is logged in. */
  AZURE_CLIENT_ID: z.string().min(1).optional(),
  /** Azure Resource Manager. */
  ARM_ENDPOINT: url.default('https://management.azure.com'),
  /** The retail price list. */
  PRICES_ENDPOINT: url.default('https://prices.azure.com'),
  /** The batch window closes after this long without another pending pod. */
  BATCH_IDLE_DURATION: duration.default(durationMs(1_000)),
  /** And this long after the first pod at the latest. */
  BATCH_MAX_DURATION: duration.default(durationMs(10_000)),
  /** A claim that is not launched after this long is ended, and its pods are planned again. */
  LAUNCH_TIMEOUT: duration.default(durationMs(300_000)),
  /** A machine that has not joined after this long is ended with its claim, and its pods are planned again. */
  REGISTRATION_TIMEOUT: duration.default(durationMs(900_000)),
  /** A node that joined, is ready and still lacks a resource that its claim promised, or keeps a startup taint, is ended after this long. The annotation `joiner.dev/initialization-timeout` of a NodePool's template says otherwise for its nodes: a duration, or `Never`. */
  INITIALIZATION_TIMEOUT: duration.default(durationMs(3_600_000)),
  /** `on`: a machine whose node is not ready for ten minutes, or says that it is not healthy, is replaced; too many at once are left to people. */
  NODE_REPAIR: z.enum(['on', 'off']).default('on'),
  /** `on`: no machine goes because it is empty, because it drifted, or to save money. */
  DISRUPTION_FREEZE: z.enum(['on', 'off']).default('off'),
  /** The least share of what machines with pods cost that a consolidation must save, from 0 to below 1. NodePools may say otherwise: `joiner.dev/least-saving-share`. */
  LEAST_SAVING_SHARE: z.coerce.number().min(0).lt(1).default(0),
  /** The least that a consolidation must save for each pod that moves, in dollars an hour. NodePools may say otherwise: `joiner.dev/least-saving-per-pod`. */
  LEAST_SAVING_PER_POD: z.coerce.number().min(0).lt(1000).default(0),
  /** Younger machines with pods are not consolidated. NodePools may say otherwise: `joiner.dev/least-node-age`. */
  LEAST_NODE_AGE: duration.default(durationMs(0)),
  /** As Karpenter's: whether `minValues` must be met, or is met as far as it can be. */
  MIN_VALUES_POLICY: z.enum(['Strict', 'BestEffort']).default('Strict'),
  /** As Karpenter's: whether preferences of pods count. */
  PREFERENCE_POLICY: z.enum(['Respect', 'Ignore']).default('Respect'),
  /** `price`: the cheapest of the plans looked at, each of which keeps all rules; `firstFit`: Karpenter's order, pod by pod. */
  PLACEMENT: z.enum(['price', 'firstFit']).default('price'),
  /** JSON array: `defaultConstraints` of the scheduler's PodTopologySpread plugin, where it has any. */
  DEFAULT_SPREAD: defaultSpreadSetting.prefault('[]'),
  /** How long a dead writer blocks its cluster; 15 to 60 seconds. */
  LEASE_DURATION: duration.default(durationMs(30_000)),
  /** How long a dead process keeps others from launching a claim that it made or was at; no try takes longer. */
  LAUNCH_LOCK_DURATION: duration.default(FLOW_LIMITS.launchLock),
  /** Machines and interfaces without a claim are removed once they are older. */
  GC_GRACE_DURATION: duration.default(FLOW_LIMITS.gcGrace),
  /** Pods on a machine without a claim get so long to go, minding their budgets; then the machine is removed. */
  GC_DRAIN_DURATION: duration.default(FLOW_LIMITS.gcDrain),
  /** For debugging: each so many decisions, one is made again from scratch after its look and compared. 0: none. */
  DECISION_CHECK_EVERY: z.coerce.number().int().min(0).default(0),
  /** Least level that is written; measures always are. */
  LOG_LEVEL: z.enum(['debug', 'info', 'warn', 'error']).default('info'),
  /** The app's timer: finds all work again from the truth; its period bounds what a crash can delay. */
  RESYNC_SCHEDULE: schedule.default(DEFAULT_SCHEDULES.RESYNC_SCHEDULE),
  /** Looks for nodes not worth their money, between two runs of the timer too. */
  DISRUPTION_SCHEDULE: schedule.default(DEFAULT_SCHEDULES.DISRUPTION_SCHEDULE),
  /** Reads what Azure says of the clusters; fetches sizes (12 h), prices (12 h) and quota (10 min) where due. */
  CATALOG_SCHEDULE: schedule.default(DEFAULT_SCHEDULES.CATALOG_SCHEDULE),
  /** Removes what no claim owns; in a cluster at rest every fifth time. */
  GC_SCHEDULE: schedule.default(DEFAULT_SCHEDULES.GC_SCHEDULE),
})

export type Settings = z.output<typeof SETTINGS>
export type Config = { readonly settings: Settings; readonly clusters: readonly ClusterEntry[] }

/** Reads the settings once. The only reader of the environment; every problem names its setting. */
export function readConfig(environment: { readonly [name: string]: string | undefined }): Result<Config, readonly Problem[]> {
  // A setting left empty, as in the sample file, counts as not set.
  const present = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''))
  const parsed = SETTINGS.safeParse(present)
  if (!parsed.success) return err(parsed.error.issues.map(settingProblem))
  const settings = parsed.data
  if (settings.AzureWebJobsStorage === undefined && settings.AzureWebJobsStorage__accountName === undefined) {
    return err([
      problem(
        'SETTING.INVALID',
        'neither AzureWebJobsStorage nor AzureWebJobsStorage__accountName is set; one must name the storage account',
      ),
    ])
  }
  const conflicts = settingConflicts(settings)
  if (conflicts.length > 0) return err(conflicts)
  const clusters = parseClusterEntries(settings.JOINER_CLUSTERS)
  if (!clusters.ok) return clusters
  const unheard = settings.ENTRA_AUDIENCE === undefined ? entraProblem(settings, clusters.value) : undefined
  return unheard === undefined ? ok({ settings, clusters: clusters.value }) : err([unheard])
}

/** Whose tokens would never be taken, since nobody says what they must be made for. */
function entraProblem({ SHIM_AUTH }: Settings, clusters: readonly ClusterEntry[]): Problem | undefined {
  const reader = clusters.find(({ allowedReaderIdentities }) => allowedReaderIdentities.length > 0)
  const why =
    SHIM_AUTH === 'entra' ? 'SHIM_AUTH is entra' : reader === undefined ? undefined : `cluster ${reader.id} has allowedReaderIdentities`
  if (why === undefined) return undefined
  const rule = `setting ENTRA_AUDIENCE: must name what tokens of the tenant are made for, since ${why}`
  return problem('SETTING.INVALID', rule, { path: 'ENTRA_AUDIENCE' })
}

function settingProblem(issue: z.core.$ZodIssue): Problem {
  const setting = issue.path.join('.')
  return problem('SETTING.INVALID', `setting ${setting}: ${issue.message}`, { path: setting })
}

/** Ends the start of the app: a function app that cannot do its work must not look as if it could. */
export function refuseToStart(problems: readonly Problem[]): never {
  const lines = problems.map(({ message }) => `  ${message}`).join('\n')
  throw new Fault('start the function app', problem('SETTING.INVALID', `the settings do not hold:\n${lines}`))
}

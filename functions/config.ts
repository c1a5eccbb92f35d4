import * as z from 'zod'
import { err, ok, type Result } from '../shared/base/result.ts'
import { FLOW_LIMITS } from '../shared/flows/flowLimits.ts'
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
const schedule = z
  .string()
  .refine(
    (text) => parseSchedule(text) !== undefined,
    'must be an NCRONTAB expression of six fields: second minute hour day month weekday, for a time that comes',
  )

/**
 * Every setting of the app, its default and its rule: the only copy. `local.settings.sample.json` lists the same names, and
 * `docs/operations.md` says what each is for.
 */
export const SETTINGS = z.object({
  /** Connection string of the storage account, or absent where `AzureWebJobsStorage__accountName` names it. */
  AzureWebJobsStorage: z.string().min(1).optional(),
  AzureWebJobsStorage__accountName: z.string().min(3).optional(),
  JOINER_CLUSTERS: z.string().min(2),
  ENTRA_TENANT_ID: z.string().min(1),
  ENTRA_AUDIENCE: z.string().min(1),
  ENTRA_AUTHORITY: url.default('https://login.microsoftonline.com'),
  /** How the forwarder of a cluster says who it is: by a token of its service account, or by one of Entra. */
  SHIM_AUTH: z.enum(['serviceAccount', 'entra']).default('entra'),
  SHIM_AUDIENCE: z.string().min(1).default('api://joiner'),
  EVENT_DELIVERY: z.enum(['function', 'queue']).default('function'),
  APPLICATIONINSIGHTS_CONNECTION_STRING: z
    .string()
    .regex(/InstrumentationKey=/, 'must name an InstrumentationKey')
    .optional(),
  APPLICATIONINSIGHTS_AUTHENTICATION_STRING: z
    .string()
    .regex(/^(ClientId=[^;]+;)?Authorization=AAD;?$/, 'must be Authorization=AAD, after ClientId=...; where an identity is meant')
    .optional(),
  AZURE_CLIENT_ID: z.string().min(1).optional(),
  ARM_ENDPOINT: url.default('https://management.azure.com'),
  PRICES_ENDPOINT: url.default('https://prices.azure.com'),
  BATCH_IDLE_DURATION: duration.default(durationMs(1_000)),
  BATCH_MAX_DURATION: duration.default(durationMs(10_000)),
  LAUNCH_TIMEOUT: duration.default(durationMs(300_000)),
  REGISTRATION_TIMEOUT: duration.default(durationMs(900_000)),
  MIN_VALUES_POLICY: z.enum(['Strict', 'BestEffort']).default('Strict'),
  PREFERENCE_POLICY: z.enum(['Respect', 'Ignore']).default('Respect'),
  PLACEMENT: z.enum(['price', 'firstFit']).default('price'),
  DEFAULT_SPREAD: defaultSpreadSetting.prefault('[]'),
  LEASE_DURATION: duration.default(durationMs(30_000)),
  LAUNCH_LOCK_DURATION: duration.default(FLOW_LIMITS.launchLock),
  GC_GRACE_DURATION: duration.default(FLOW_LIMITS.gcGrace),
  LOG_LEVEL: z.enum(['debug', 'info', 'warn', 'error']).default('info'),
  RESYNC_SCHEDULE: schedule.default(DEFAULT_SCHEDULES.RESYNC_SCHEDULE),
  DISRUPTION_SCHEDULE: schedule.default(DEFAULT_SCHEDULES.DISRUPTION_SCHEDULE),
  CATALOG_SCHEDULE: schedule.default(DEFAULT_SCHEDULES.CATALOG_SCHEDULE),
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
  return clusters.ok ? ok({ settings, clusters: clusters.value }) : clusters
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

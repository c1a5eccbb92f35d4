import { readConfig, SETTINGS } from '../../../functions/config.ts'
import { closest } from '../../../shared/base/text.ts'
import { ownValue } from '../../../shared/base/values.ts'
import type { Problem } from '../../../shared/model/problem.ts'
import type { Environment } from '../../clusterAccess.ts'
import { idOf } from '../../clusterName.ts'
import { AZD_VALUES } from './azdValues.ts'

// Reads the settings of the app as the template will give them, with the reader of the app itself.

/** Settings of the host, of the platform and of Node, which the app does not read. */
const OF_OTHERS =
  /^(AzureFunctionsJobHost__|AzureFunctionsWebHost__|AzureWebJobs|FUNCTIONS_|WEBSITE_|SCM_|APPLICATIONINSIGHTS_|OTEL_|NODE_|languageWorkers__)\w+$|^(HTTPS?|NO)_PROXY$/
const STAND_IN = '00000000-0000-4000-8000-000000000000'
const NO_CLUSTER = `/subscriptions/${STAND_IN}/resourceGroups/g/providers/Microsoft.ContainerService/managedClusters/demo`

/** Returns what the app would refuse at its start. Each value can be read by its own rule. */
export function appProblems(environment: Environment): readonly string[] {
  const given = readGiven(environment)
  const refused = [...unknownSettings(given), ...unknownClusters(given)]
  if (refused.length > 0) return refused
  const read = readConfig(settingsOf(environment, given))
  return read.ok ? [] : read.error.map((problem) => sentence(problem, given))
}

type Given = {
  readonly settings: { readonly [name: string]: string }
  readonly overrides: { readonly [cluster: string]: { readonly [field: string]: unknown } }
  /** True: the cluster for trials is made later, so overrides may name a cluster that is not known. */
  readonly hasDemo: boolean
  /** Clusters by their ids in Joiner, in the order of the setting. */
  readonly clusters: readonly (readonly [id: string, resourceId: string])[]
}

function readGiven(environment: Environment): Given {
  const settings = AZD_VALUES.JOINER_APP_SETTINGS.schema.safeParse(environment['JOINER_APP_SETTINGS']).data ?? {}
  const overrides = AZD_VALUES.JOINER_CLUSTER_OVERRIDES.schema.safeParse(environment['JOINER_CLUSTER_OVERRIDES']).data ?? {}
  const named = (AZD_VALUES.JOINER_CLUSTER_IDS.schema.safeParse(environment['JOINER_CLUSTER_IDS']).data ?? []).map(
    (resourceId) => [idOf(resourceId), resourceId] as const,
  )
  const others = Object.keys(overrides).filter((id) => !named.some(([own]) => own === id))
  const clusters = [...named, ...others.map((id, at) => [id, `${NO_CLUSTER}${at}`] as const)]
  return { settings, overrides, hasDemo: environment['JOINER_DEMO_CLUSTER'] === 'true', clusters }
}

function unknownSettings({ settings }: Given): readonly string[] {
  const known = Object.keys(SETTINGS.shape)
  return Object.keys(settings)
    .filter((name) => !known.includes(name) && !OF_OTHERS.test(name))
    .map((name) => `JOINER_APP_SETTINGS.${name}: is no setting of the app; ${hint(name, known, 'docs/reference.md lists them')}`)
}

function unknownClusters({ hasDemo, clusters }: Given): readonly string[] {
  if (hasDemo) return []
  const [others, named] = [true, false].map((isOther) =>
    clusters.filter(([, resourceId]) => resourceId.startsWith(NO_CLUSTER) === isOther).map(([id]) => id),
  )
  return (others ?? []).map(
    (id) =>
      `JOINER_CLUSTER_OVERRIDES.${id}: names no cluster; ${hint(id, named ?? [], 'the names are those in JOINER_CLUSTER_IDS, in lower case')}`,
  )
}

function hint(word: string, known: readonly string[], otherwise: string): string {
  const alike = closest(word, known)
  return alike.length > 0 ? `did you mean ${alike.join(' or ')}?` : otherwise
}

function settingsOf(environment: Environment, { settings, overrides, clusters }: Given): Environment {
  const entries = clusters.map(([id, resourceId]) => ({ id, resourceId, caBundle: 'Y2E=', ...ownValue(overrides, id) }))
  return {
    AzureWebJobsStorage__accountName: 'stjoiner',
    ENTRA_TENANT_ID: STAND_IN,
    ENTRA_AUDIENCE: environment['JOINER_ENTRA_AUDIENCE'],
    SHIM_AUTH: environment['JOINER_SHIM_AUTH'],
    JOINER_CLUSTERS: JSON.stringify(entries.length > 0 ? entries : [{ id: 'demo', resourceId: NO_CLUSTER, caBundle: 'Y2E=' }]),
    ...settings,
  }
}

/** Names the value of the environment in place of the setting that the template makes of it. */
function sentence({ message, path = '', object }: Problem, { settings, clusters }: Given): string {
  const rule = message.slice(message.indexOf(': ') + 2)
  if (path === 'ENTRA_AUDIENCE' && settings[path] === undefined) return NO_AUDIENCE
  if (object !== 'JOINER_CLUSTERS' || settings[object] !== undefined) return `JOINER_APP_SETTINGS.${object ?? path}: ${rule}`
  const [, at = '0', field = ''] = /^\[(\d+)\](.*)$/.exec(path) ?? []
  return `JOINER_CLUSTER_OVERRIDES.${clusters[Number(at)]?.[0] ?? ''}${field}: ${rule}`
}

const NO_AUDIENCE =
  'JOINER_ENTRA_AUDIENCE: names no app registration, and tokens of the tenant are made for one; run: azd env set JOINER_ENTRA_AUDIENCE $(az ad app create --display-name joiner --query appId -o tsv), and: az ad sp create --id with that id'

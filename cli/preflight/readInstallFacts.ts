import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import { defined } from '../../shared/base/values.ts'
import type { ClusterFacts } from '../../shared/model/clusterFacts.ts'
import type { InstallFacts, ScopePermissions, SubnetFacts, ToolFacts } from '../../shared/model/installFacts.ts'
import { askApp } from '../appAnswer.ts'
import { type ArmAnswer, isFine, member } from '../armCall.ts'
import { askRegistry } from './askRegistry.ts'
import { neededAt } from './deployerNeeds.ts'
import type { InspectDeps, Unread } from './inspectDeps.ts'
import type { InstallOptions } from './installOptions.ts'
import { readSystemTopics } from './readSystemTopics.ts'
import { imageText, wishedImage } from './shimImage.ts'

// Reads what the preflight checks besides the clusters. What Azure does not return is left out of the facts and listed as unread.

const VERSIONS = { providers: '2021-04-01', permissions: '2022-04-01', web: '2024-11-01', network: '2025-05-01' }
/** Namespaces of the resource providers that the templates need. */
export const NAMESPACES = [
  'App',
  'ContainerService',
  'EventGrid',
  'Insights',
  'ManagedIdentity',
  'Network',
  'OperationalInsights',
  'Storage',
  'Web',
]

type Notes = Unread[]

export async function readInstallFacts(
  deps: InspectDeps,
  wishes: InstallOptions,
  clusters: readonly ClusterFacts[],
): Promise<{ readonly facts: InstallFacts; readonly unread: readonly Unread[] }> {
  const { environmentName, location, subnets } = wishes
  const unread: Notes = []
  if (environmentName === undefined) unread.push({ what: 'name', why: 'no environment of azd is named' })
  if (location === undefined) unread.push({ what: 'region', why: 'no location is named' })
  const facts: InstallFacts = {
    ...defined({ environmentName, location, flexRegions: await flexRegions(deps, wishes, unread) }),
    providers: await providersOf(deps, wishes, unread),
    permissions: await permissionsOf(deps, wishes, clusters, unread),
    tools: await toolsOf(deps),
    subnets: wishes.network === 'public' ? [] : await subnetsOf(deps, subnets, unread),
    charts: [],
    provisioners: [],
    ...(await shimImageOf(deps, unread)),
    systemTopics: await readSystemTopics(deps, wishes, unread),
    ...(await appOf(deps, wishes, unread)),
  }
  return { facts, unread }
}

/** Returns the version of the charts that this repository installs. */
export function ownChartVersion(): string {
  return /^version: (.*)$/m.exec(readFileSync(join(import.meta.dirname, '../../charts/joiner/Chart.yaml'), 'utf8'))?.[1] ?? ''
}

async function get(
  { access }: InspectDeps,
  path: string,
  version: string,
  query: { readonly [name: string]: string } = {},
): Promise<ArmAnswer> {
  return access.arm({ method: 'GET', path, version, query })
}

/** Returns the reason of a refusal: `403 AuthorizationFailed`. That is enough for a caller without permission. */
function reasonIn({ status, body }: ArmAnswer): string {
  const code = member(member(body, 'error'), 'code')
  return typeof code === 'string' ? `${status} ${code}` : String(status)
}

function itemsOf(answer: ArmAnswer, what: string, unread: Notes): readonly unknown[] | undefined {
  const items = member(answer.body, 'value')
  if (isFine(answer) && Array.isArray(items)) return items
  unread.push({ what, why: reasonIn(answer) })
  return undefined
}

async function flexRegions(
  deps: InspectDeps,
  { subscriptionId, location }: InstallOptions,
  unread: Notes,
): Promise<readonly string[] | undefined> {
  if (location === undefined) return undefined
  const answer = await get(deps, `/subscriptions/${subscriptionId}/providers/Microsoft.Web/geoRegions`, VERSIONS.web, {
    sku: 'FlexConsumption',
  })
  const names = itemsOf(answer, 'regions with Flex Consumption', unread)?.map((item) => member(item, 'name'))
  return names?.flatMap((name) => (typeof name === 'string' ? [name.toLowerCase().replaceAll(' ', '')] : []))
}

async function providersOf(deps: InspectDeps, { subscriptionId }: InstallOptions, unread: Notes): Promise<InstallFacts['providers']> {
  const asked = await Promise.all(
    NAMESPACES.map(async (name) => {
      const namespace = `Microsoft.${name}`
      const answer = await get(deps, `/subscriptions/${subscriptionId}/providers/${namespace}`, VERSIONS.providers)
      return { namespace, answer, state: isFine(answer) ? member(answer.body, 'registrationState') : undefined }
    }),
  )
  const untold = asked.filter(({ state }) => typeof state !== 'string')
  const [first] = untold
  const names = untold.map(({ namespace }) => namespace).join(', ')
  if (first !== undefined) unread.push({ what: `resource providers ${names}`, why: reasonIn(first.answer) })
  return asked.flatMap(({ namespace, state }) => (typeof state === 'string' ? [{ namespace, state }] : []))
}

const permission = z.object({ actions: z.array(z.string()).default([]), notActions: z.array(z.string()).default([]) })

async function permissionsOf(
  deps: InspectDeps,
  wishes: InstallOptions,
  clusters: readonly ClusterFacts[],
  unread: Notes,
): Promise<readonly ScopePermissions[]> {
  const found: ScopePermissions[] = []
  for (const { scope, needs } of neededAt(deps.environment, wishes, clusters)) {
    const answer = await get(deps, `${scope}/providers/Microsoft.Authorization/permissions`, VERSIONS.permissions)
    const granted = z.array(permission).safeParse(itemsOf(answer, `rights on ${scope}`, unread))
    if (granted.success) found.push({ scope, needs, granted: granted.data })
  }
  return found
}

/** `az` is needed to build the image. */
async function toolsOf(deps: InspectDeps): Promise<readonly ToolFacts[]> {
  return deps.environment['JOINER_REGISTRY'] ? [await helmOf(deps), await azOf(deps)] : [await helmOf(deps)]
}

async function azOf({ run }: InspectDeps): Promise<ToolFacts> {
  const { code, out } = await run('az', ['version', '--query', '"azure-cli"', '--output', 'tsv'])
  const version = code === 0 ? /\d+\.\d+\S*/.exec(out)?.[0] : undefined
  return {
    name: 'az',
    least: '2.50.0',
    remedy: 'install it from https://aka.ms/azure-cli, or name an image in JOINER_SHIM_IMAGE',
    ...defined({ version }),
  }
}

/** If `azd up` builds the image, it is not there yet. */
async function shimImageOf({ access, environment, run }: InspectDeps, unread: Notes): Promise<Pick<InstallFacts, 'shimImage'>> {
  const registry = environment['JOINER_REGISTRY']
  if (registry) {
    const { code } = await run('az', ['acr', 'show', '--name', registry, '--output', 'none'])
    return code === 0 ? {} : { shimImage: { image: registry, state: 'noRegistry', hasSecrets: false } }
  }
  const { image, hasSecrets } = wishedImage(environment)
  const answer = await askRegistry(access, image)
  if (answer.state !== 'unread') return { shimImage: { image: imageText(image), state: answer.state, hasSecrets } }
  unread.push({ what: `image ${imageText(image)}`, why: answer.why })
  return {}
}

/** Before the code is deployed for the first time, there is nothing to ask. A private app answers in its network only. */
async function appOf({ access, environment }: InspectDeps, { network }: InstallOptions, unread: Notes): Promise<Pick<InstallFacts, 'app'>> {
  const { JOINER_APP_ENDPOINT: endpoint, JOINER_APP_NAME: name = 'app', JOINER_APP_DEPLOYED: deployed } = environment
  if (!endpoint || deployed !== 'true' || network === 'private') return {}
  const found = await askApp(access, endpoint)
  if (found.state === 'works') return {}
  if (found.state !== 'unread') return { app: { ...found, name } }
  unread.push({ what: `app ${name}`, why: found.why })
  return {}
}

/** A Helm that was built from source may have no patch version: `v4.3`. */
async function helmOf({ run }: InspectDeps): Promise<ToolFacts> {
  const { code, out } = await run('helm', ['version', '--template', '{{.Version}}'])
  const version = code === 0 ? /v?\d+\.\d+\S*/.exec(out)?.[0] : undefined
  return { name: 'helm', least: '3.14.0', remedy: 'install it from https://helm.sh/docs/intro/install', ...defined({ version }) }
}

const subnet = z.object({
  properties: z.object({
    addressPrefix: z.string().nullish(),
    addressPrefixes: z.array(z.string()).nullish(),
    delegations: z.array(z.object({ properties: z.object({ serviceName: z.string() }) })).nullish(),
    ipConfigurations: z.array(z.object({ id: z.string() })).nullish(),
    serviceAssociationLinks: z.array(z.object({ name: z.string().optional() })).nullish(),
  }),
})

async function subnetsOf(deps: InspectDeps, { app, endpoints }: InstallOptions['subnets'], unread: Notes): Promise<readonly SubnetFacts[]> {
  const wanted = [
    ['app', app],
    ['endpoints', endpoints],
  ] as const
  const all: SubnetFacts[] = []
  for (const [purpose, id] of wanted) {
    if (id === undefined) continue
    const answer = await get(deps, id, VERSIONS.network)
    if (answer.status === 404) all.push({ id, purpose })
    // If the app exists already, the link to the subnet is its own.
    const found = isFine(answer) ? subnetOf(answer.body, Boolean(deps.environment['JOINER_APP_NAME'])) : undefined
    if (found !== undefined) all.push({ id, purpose, found })
    else if (answer.status !== 404) unread.push({ what: `subnet ${id}`, why: reasonIn(answer) })
  }
  return all
}

function subnetOf(body: unknown, isOurs: boolean): SubnetFacts['found'] {
  const read = subnet.safeParse(body).data?.properties
  if (read === undefined) return undefined
  const [prefix = ''] = read.addressPrefixes ?? [read.addressPrefix ?? '']
  const links = isOurs ? [] : (read.serviceAssociationLinks ?? []).map(({ name = 'another app' }) => name)
  return {
    bits: Number(prefix.split('/')[1]),
    delegations: (read.delegations ?? []).map(({ properties }) => properties.serviceName),
    takenBy: [...(read.ipConfigurations ?? []).map(({ id }) => id), ...links],
  }
}

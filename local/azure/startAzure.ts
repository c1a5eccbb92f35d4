import { createServingCertificate } from '../certificates/serving.ts'
import type { MachineSource } from '../machine.ts'
import type { Arm } from './arm/arm.ts'
import { createArmServer } from './arm/armServer.ts'
import { createArmState, type DiskRecord, type Document, type NicRecord, type VmRecord } from './arm/armState.ts'
import { type Access, createAccess } from './arm/authorization/access.ts'
import type { TemplateEngine } from './arm/deploymentRecord.ts'
import { clusterResourceId, firstDocuments } from './arm/firstDocuments.ts'
import { federatedClients, madeIdentities } from './arm/resources/identities.ts'
import { createAuthority } from './entra/authority.ts'
import { createManagedIdentityEndpoint } from './entra/managedIdentity.ts'
import { createTokenIssuer, type TokenRequest } from './entra/tokens.ts'
import { createEventGrid, type EventGrid } from './eventgrid/eventGrid.ts'
import type { Subscription } from './eventgrid/gridEvent.ts'
import { publishProblem, subscriptionsOf, topicNamed } from './eventgrid/madeSubscriptions.ts'
import { evictSpot } from './eviction.ts'
import { createFaultBook, type FaultScript } from './faults.ts'
import { type Respond, type RunningServer, serve } from './httpServer.ts'
import { createImds, type ScheduledEventType } from './imds/imdsServer.ts'
import { createKudu, type TakePackage } from './kudu/kudu.ts'
import { createMachineHub } from './machineHub.ts'
import { type AzureSettings, type StartAzureOptions, settingsOf } from './options.ts'
import { createPriceServer } from './prices/priceServer.ts'
import { createRequestLog, type RequestLog } from './requestLog.ts'
import { builtInSizes } from './sizes/sizeFamilies.ts'
import { sizesFromFiles } from './sizes/sizesFromFiles.ts'
import type { VmSize } from './sizes/vmSize.ts'
import { createTimeline } from './timeline.ts'

/** The emulated Azure of one subscription and region. All its servers are on the loopback address. */
export interface LocalAzure {
  readonly armUrl: string
  readonly pricesUrl: string
  readonly authorityUrl: string
  readonly identityEndpoint: string
  readonly identityHeader: string
  /** Where the Kudu of each app listens. The name in `Host` tells the app. */
  readonly kuduUrl: string
  readonly topicEndpoint: string
  /** Resource id of the topic at `topicEndpoint`. */
  readonly topicId: string
  readonly topicKey: string
  readonly jwksUri: string
  readonly issuer: string
  /** PEM. Clients of the https addresses above must trust it. */
  readonly caCertificate: string
  readonly tenantId: string
  readonly subscriptionId: string
  readonly location: string
  readonly resourceGroups: readonly string[]
  readonly subnetId: string
  readonly managedIdentities: AzureSettings['managedIdentities']
  /** Returns the address that stands for the metadata service of the machine. Append `/metadata/...`. */
  imdsUrl(vm: string): string
  issueToken(request: TokenRequest): Promise<string>
  /** The cluster of this subscription. */
  readonly clusterResourceId: string
  /** Puts a resource, and replaces the resource with the same id. */
  putResource(document: Document): void
  /** Returns the resource with this id, if there is one. */
  getResource(id: string): Document | undefined
  /** Takes a resource away, as if it had never been there. */
  removeResource(id: string): void
  /** Sets what deploys templates. Without it, ARM refuses them. */
  deployWith(engine: TemplateEngine): void
  /** Sets what starts packages. Without it, Kudu refuses them. */
  publishTo(take: TakePackage): void
  /** Returns every resource that was made or put, without machines, interfaces and disks. */
  resources(): readonly Document[]
  /** Sets the state of a resource provider, such as `NotRegistered` until it is registered. All providers are `Registered` at first. */
  readonly setProvider: (namespace: string, state: string) => void
  readonly machines: MachineSource
  readonly script: FaultScript
  readonly requests: RequestLog
  /** Roles and their assignments. They have an effect with `needsRoles` only. */
  readonly access: Access
  state(): {
    readonly vms: readonly Readonly<VmRecord>[]
    readonly nics: readonly Readonly<NicRecord>[]
    readonly disks: readonly DiskRecord[]
  }
  /** Evicts a spot machine: first a notice through the metadata service, then the machine ends, then Event Grid reports it. */
  evictSpot(vm: string, options?: { readonly noticeMs?: number }): void
  /** Sets the last operation on the machine to failed, as an operation of the platform can fail. The machine stays. */
  failVm(vm: string, failure: { readonly code: string; readonly message: string }): void
  scheduleEvent(vm: string, type: ScheduledEventType, notBeforeMs: number): void
  subscribe(subscription: Subscription): Promise<{ readonly refused?: string }>
  readonly eventGrid: Pick<EventGrid, 'deadLetters' | 'published' | 'publish'>
  close(): Promise<void>
}

/** The notice before an eviction: at least 30 s (Azure Metadata Service: Scheduled Events, 2026-08). */
const NOTICE_MS = 30_000

/** Starts the emulator. Nothing outlives `close`. */
export async function startAzure(options: StartAzureOptions = {}): Promise<LocalAzure> {
  const settings = settingsOf(options)
  const { tenantId, subscriptionId, location, resourceGroups, subnetId, managedIdentities } = settings
  const parts = await createParts(options, settings)
  const { arm, tokens, eventGrid, imds, hub, requests, tls, urls } = parts
  const servers = await startServers(parts)
  return {
    armUrl: urls.arm,
    pricesUrl: urls.prices,
    authorityUrl: urls.authority,
    identityEndpoint: `${urls.identity}/msi/token`,
    identityHeader: parts.identityHeader,
    kuduUrl: urls.kudu,
    topicEndpoint: `${urls.topic}/api/events`,
    topicKey: parts.topicKey,
    topicId: topicIdOf(settings),
    jwksUri: `${urls.authority}/${tenantId}/discovery/v2.0/keys`,
    issuer: tokens.issuer(),
    caCertificate: tls.authority,
    tenantId,
    subscriptionId,
    location,
    resourceGroups,
    subnetId,
    managedIdentities,
    imdsUrl: (vm) => `${urls.imds}/vms/${vm}`,
    issueToken: (request) => tokens.issue(request),
    clusterResourceId: clusterResourceId(settings),
    putResource: (document) => void arm.state.documents.set(document.id.toLowerCase(), document),
    getResource: (id) => arm.state.documents.get(id.toLowerCase()),
    removeResource: (id) => void arm.state.documents.delete(id.toLowerCase()),
    deployWith: (engine) => {
      parts.engine.current = engine
    },
    publishTo: (take) => {
      parts.packages.current = take
    },
    resources: () => [...arm.state.documents.values()],
    setProvider: (namespace, state) => void arm.state.providers.set(namespace.toLowerCase(), state),
    machines: hub,
    script: arm.faults,
    requests,
    access: arm.access,
    state: () => ({ vms: [...arm.state.vms.values()], nics: [...arm.state.nics.values()], disks: [...arm.state.disks.values()] }),
    evictSpot: (vm, notice = {}) => evictSpot(arm, imds, eventGrid, vm, notice.noticeMs ?? arm.timeline.scaled(NOTICE_MS)),
    failVm: (name, failure) => {
      const record = [...arm.state.vms.values()].find((each) => each.name === name)
      if (record === undefined) throw new Error(`there is no machine ${name}`)
      Object.assign(record, { state: 'Failed', failure })
    },
    scheduleEvent: (vm, type, notBeforeMs) => void imds.schedule(vm, type, Date.now() + notBeforeMs),
    subscribe: (subscription) => eventGrid.subscribe(subscription),
    eventGrid,
    async close() {
      arm.timeline.close()
      await Promise.all(servers.map((server) => server.close()))
    },
  }
}

function topicIdOf({ subscriptionId }: Pick<AzureSettings, 'subscriptionId'>): string {
  return `/subscriptions/${subscriptionId}/resourceGroups/joiner/providers/Microsoft.EventGrid/topics/joiner-notices`
}

type Urls = { arm: string; kudu: string; authority: string; prices: string; topic: string; identity: string; imds: string }
type Parts = Awaited<ReturnType<typeof createParts>>

/** Makes all parts but the servers. Addresses are filled in as the servers start to listen. */
async function createParts(options: StartAzureOptions, settings: AzureSettings) {
  const urls: Urls = { arm: '', kudu: '', authority: '', prices: '', topic: '', identity: '', imds: '' }
  const tls = await createServingCertificate('joiner local azure')
  const sizes = await sizeMap(options, settings.location)
  const hub = createMachineHub(settings.location, sizes)
  const timeline = createTimeline(settings.speed)
  const engine: { current: TemplateEngine | undefined } = { current: undefined }
  const packages: { current: TakePackage | undefined } = { current: undefined }
  const arm: Arm = {
    settings,
    state: createArmState(firstDocuments(settings)),
    timeline,
    faults: createFaultBook(),
    access: createAccess(),
    sizes,
    url: () => options.armName ?? urls.arm,
    engine: () => engine.current,
    booted: (vm) => hub.booted(vm),
    stopped: (vm) => hub.stopped(vm),
    goesDown: (vm) => hub.goesDown(vm),
    evict: (vm) => evictSpot(arm, imds, eventGrid, vm.name, timeline.scaled(NOTICE_MS)),
  }
  const tokens = await createTokenIssuer(() => options.issuer ?? `${urls.authority}/${settings.tenantId}/v2.0`, settings.tenantId)
  const topicKey = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64')
  const own = { id: topicIdOf(settings), key: topicKey }
  const eventGrid = createEventGrid({
    topicOf: (host) => (host === '127.0.0.1' ? own : topicNamed(arm, host)),
    refusalOf: (topic, principalId) => (topic === own ? undefined : publishProblem(arm, topic.id, principalId)),
    madeSubscriptions: () => (options.outlets === undefined ? [] : subscriptionsOf(arm, options.outlets)),
    issuer: tokens,
    timeline,
  })
  const imds = createImds(arm)
  return {
    urls,
    tls,
    hub,
    arm,
    engine,
    packages,
    tokens,
    topicKey,
    eventGrid,
    imds,
    requests: createRequestLog(),
    identityHeader: crypto.randomUUID(),
  }
}

/** One server for each service, each on a free port. Services that an SDK would not call in plain text use https. */
async function startServers(parts: Parts): Promise<readonly RunningServer[]> {
  const { arm, tokens, urls, tls, eventGrid, imds } = parts
  const { tenantId, clients, managedIdentities, location } = arm.settings
  const services: readonly { readonly name: keyof Urls; readonly isSecure: boolean; readonly respond: Respond }[] = [
    {
      name: 'authority',
      isSecure: true,
      respond: createAuthority(
        tenantId,
        () => [...clients, ...federatedClients(arm)],
        tokens,
        () => urls.authority,
      ),
    },
    { name: 'arm', isSecure: true, respond: createArmServer(arm, tokens, parts.requests) },
    { name: 'kudu', isSecure: true, respond: createKudu(arm, tokens, () => parts.packages.current) },
    { name: 'topic', isSecure: true, respond: (request) => eventGrid.respond(request) },
    { name: 'prices', isSecure: false, respond: createPriceServer(location, arm.sizes, arm.faults, () => urls.prices) },
    {
      name: 'identity',
      isSecure: false,
      respond: createManagedIdentityEndpoint(() => [...managedIdentities, ...madeIdentities(arm)], parts.identityHeader, tokens),
    },
    { name: 'imds', isSecure: false, respond: (request) => imds.respond(request) },
  ]
  return Promise.all(
    services.map(async ({ name, isSecure, respond }) => {
      const server = await serve(respond, isSecure ? { tls } : {})
      urls[name] = server.url
      return server
    }),
  )
}

async function sizeMap(options: StartAzureOptions, location: string): Promise<ReadonlyMap<string, VmSize>> {
  const builtIn = options.withoutBuiltInSizes === true ? [] : builtInSizes()
  const published = options.sizeFiles === undefined ? [] : await sizesFromFiles(options.sizeFiles, location)
  return new Map([...builtIn, ...published, ...(options.sizes ?? [])].map((size) => [size.name, size]))
}

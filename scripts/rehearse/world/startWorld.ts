// Everything around an installation that is not part of Joiner: Azure with one cluster on a real control plane, the internet between them, and
// machines that boot.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { clusterDocuments, clusterResourceId } from '../../../local/azure/arm/firstDocuments.ts'
import { textAt } from '../../../local/azure/json.ts'
import { networkLabelsOf } from '../../../local/azure/networkLabels.ts'
import { type ClusterPlace, type StartAzureOptions, settingsOf } from '../../../local/azure/options.ts'
import { type LocalAzure, startAzure } from '../../../local/azure/startAzure.ts'
import type { Authority } from '../../../local/certificates/authority.ts'
import { connectionFrom } from '../../../local/cluster/client/connection.ts'
import { createKubeClient, type KubeClient } from '../../../local/cluster/client/kubeClient.ts'
import { startControllers } from '../../../local/cluster/startControllers.ts'
import { CACHE, findBinaries } from '../../../local/controlplane/binaries.ts'
import { writeAuthentication } from '../../../local/controlplane/programs.ts'
import { type ControlPlane, startControlPlane } from '../../../local/controlplane/startControlPlane.ts'
import { createInternetAuthority } from '../../../local/internet/startInternet.ts'
import { startKubelets } from '../../../local/kubelet/startKubelets.ts'
import type { Machine, MachineSource } from '../../../local/machine.ts'
import { createOwnedParts, type OwnedParts } from '../../../local/stack/ownedParts.ts'
import { AZD, DEPLOYER } from '../armCaller.ts'
import { grantDeployerRights } from '../deployerRights.ts'
import { ENVIRONMENT, SECOND_ENVIRONMENT } from '../templates.ts'
import { PATIENCE_MS, until } from '../until.ts'
import { type Issuer, startIssuer } from './issuer.ts'
import { createOutlets, type Outlets } from './outlets.ts'
import { required, startSystemNodes } from './systemNodes.ts'

export interface World {
  /** Azure, with the cluster of this world as its cluster. */
  readonly azure: LocalAzure
  /** Name of the environment of azd that is installed in the cluster. */
  readonly environment: string
  readonly plane: ControlPlane
  /** A client with the rights of the cluster's administrator. */
  readonly client: KubeClient
  readonly authority: Authority
  /** PEM of all CAs that a program of this world trusts, because Azure's names are trusted everywhere. */
  readonly caFile: string
  readonly directory: string
  /** Name of the API server, and its port on this machine. */
  readonly apiServer: { readonly host: string; readonly port: number }
  readonly outlets: Outlets
  /** The issuer of service account tokens, and where its documents are. */
  readonly issuer: Issuer
  readonly parts: OwnedParts
}

/** Machines start and end this many times faster than in Azure. */
const SPEED = 20
const TENANT = '00000000-0000-4000-8000-00000000a002'
/** Names of a cluster. That of the issuer is like the public address at which AKS publishes the keys: it differs from that of the API server. */
type Names = { readonly apiServer: string; readonly issuer: string }
const FIRST: Names = { apiServer: 'local.hcp.eastus.azmk8s.io', issuer: 'https://issuer.oic.rehearsal.internal' }
const SECOND: Names = { apiServer: 'second.hcp.eastus.azmk8s.io', issuer: 'https://second.oic.rehearsal.internal' }
/** The application whose tokens API servers of AKS accept, in every tenant. */
const KUBE_AUDIENCE = '6dae42f8-4368-4678-94ff-3960e28e3630'

export async function startWorld(place: ClusterOptions = {}): Promise<World> {
  const parts = createOwnedParts()
  try {
    return await start(parts, place)
  } catch (cause) {
    await parts.close()
    throw cause
  }
}

/** Where the cluster is, and the groups of its nodes. */
type ClusterOptions = Pick<StartAzureOptions, 'cluster' | 'resourceGroups'>

/** As long as Azure may take until new roles hold: no hook waits. Other tests play the wait. */
const AGE_OF_ROLES_MS = 600_000

async function start(parts: OwnedParts, place: ClusterOptions): Promise<World> {
  const directory = mkdtempSync(join(tmpdir(), 'joiner-rehearsal-'))
  await parts.own(() => rmSync(directory, { recursive: true, force: true }))
  const outlets = createOutlets()
  const [authority, azure, plane] = await Promise.all([
    createInternetAuthority(),
    startAzure({
      ...place,
      speed: SPEED,
      tenantId: TENANT,
      issuer: `https://sts.windows.net/${TENANT}/`,
      needsRoles: true,
      ageOfRoles: AGE_OF_ROLES_MS,
      managedIdentities: [DEPLOYER, AZD].map(({ appid, oid }) => ({ clientId: appid, objectId: oid })),
      outlets,
      armName: 'https://management.azure.com',
    }),
    startPlane(directory, FIRST),
  ])
  await parts.own(() => Promise.all([azure.close(), plane.close()]))
  return startCluster({ azure, plane, authority, environment: ENVIRONMENT, directory, outlets, parts }, FIRST)
}

/** The cluster of a second environment of azd, in the same subscription and network, with nodes in a group of its own. */
export async function startSecondWorld({ azure, authority, outlets, directory: folder, parts: all }: World): Promise<World> {
  const parts = createOwnedParts()
  await all.own(() => parts.close())
  const directory = join(folder, 'second')
  mkdirSync(directory)
  const place: ClusterPlace = { group: 'second', name: 'second' }
  const { subscriptionId, tenantId, location, subnetId } = azure
  const settings = settingsOf({ subscriptionId, tenantId, location, cluster: place, resourceGroups: [`MC_second_second_${location}`] })
  const made = clusterDocuments(settings, subnetId)
  for (const document of made) azure.putResource(document)
  await parts.own(() => made.forEach(({ id }) => azure.removeResource(id)))
  const plane = await startPlane(directory, SECOND)
  await parts.own(() => plane.close())
  const own = { ...azure, clusterResourceId: clusterResourceId(settings), resourceGroups: settings.resourceGroups }
  return startCluster({ azure: own, plane, authority, environment: SECOND_ENVIRONMENT, directory, outlets, parts }, SECOND)
}

type Grounds = Pick<World, 'azure' | 'plane' | 'authority' | 'environment' | 'directory' | 'outlets' | 'parts'>

/** Makes a cluster of Azure out of a control plane: with its description in Azure, nodes, and machines that join. */
async function startCluster(grounds: Grounds, { apiServer: host }: Names): Promise<World> {
  const { azure, plane, authority, directory, parts } = grounds
  grantDeployerRights(azure)
  trustEntra(azure, plane)
  const client = createKubeClient(connectionFrom({ kubeconfig: plane.kubeconfigFile }))
  await parts.own(() => client.close())
  const issuer = await startIssuer(client, join(directory, 'plane', 'keys', 'accounts.pub'), parts)
  describeCluster(azure, plane, { apiServer: host, issuer: issuer.name })
  await letDeployerInto(client)
  await untilBelieved(azure, plane)
  const nodes = await startSystemNodes(client)
  await parts.own(() => nodes.close())
  const source = { kubeconfig: plane.kubeconfigFile }
  const machines = machinesOf(azure)
  const controllers = await startControllers({ ...source, which: ['cloudnode'], speed: SPEED, machines })
  await parts.own(() => controllers.close())
  const port = Number(new URL(plane.url).port)
  const kubelets = await startKubelets({
    machines,
    speed: SPEED,
    podWatch: source,
    credentials: 'signingRequest',
    networkLabels: networkLabelsOf(azure),
    apiServerOverride: `127.0.0.1:${port}`,
  })
  await parts.own(() => kubelets.close())
  const caFile = join(directory, 'authorities.pem')
  writeFileSync(caFile, `${authority.certificate}\n${plane.caCertificate}`)
  return { ...grounds, issuer, client, caFile, apiServer: { host, port } }
}

/** The machines in the group of the cluster's nodes. Those of another cluster boot there. */
function machinesOf({ machines, resourceGroups: [group = ''] }: Pick<LocalAzure, 'machines' | 'resourceGroups'>): MachineSource {
  const isOwn = ({ id }: Machine): boolean => id.toLowerCase().includes(`/resourcegroups/${group.toLowerCase()}/`)
  return {
    listen: ({ started, stopped }) =>
      machines.listen({
        started: (machine) => void (isOwn(machine) && started(machine)),
        stopped: (machine) => void (isOwn(machine) && stopped(machine)),
      }),
  }
}

/** Makes the deployer an administrator of the cluster. */
async function letDeployerInto(client: KubeClient): Promise<void> {
  const api = 'rbac.authorization.k8s.io'
  await required(client, 'POST', `/apis/${api}/v1/clusterrolebindings`, {
    metadata: { name: 'deployer' },
    roleRef: { apiGroup: api, kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [{ apiGroup: api, kind: 'User', name: DEPLOYER.oid }],
  })
}

/**
 * Waits until the API server accepts tokens of Entra. It fetches the keys of an issuer some time after its start. A cluster of AKS has fetched them
 * long before its first user.
 */
async function untilBelieved(azure: LocalAzure, plane: ControlPlane): Promise<void> {
  const token = await azure.issueToken({ ...DEPLOYER, audience: KUBE_AUDIENCE })
  const client = createKubeClient(connectionFrom({ url: plane.url, ca: plane.caCertificate, token }))
  try {
    await until('the API server takes tokens of Entra', async () => {
      const answer = await client.send({ method: 'GET', path: '/api/v1/namespaces', signal: AbortSignal.timeout(PATIENCE_MS) })
      return answer.ok ? undefined : answer.error.message
    })
  } finally {
    client.close()
  }
}

async function startPlane(directory: string, { apiServer, issuer }: Names): Promise<ControlPlane> {
  const binaries = await findBinaries({ assets: process.env['KUBEBUILDER_ASSETS'], cache: CACHE, say: () => undefined })
  return startControlPlane({ binaries, folder: join(directory, 'plane'), serverNames: [apiServer], issuer })
}

/** Makes Azure's description of the cluster match the control plane. */
function describeCluster(azure: LocalAzure, plane: ControlPlane, { apiServer, issuer: issuerURL }: Names): void {
  const cluster = azure.getResource(azure.clusterResourceId)
  if (cluster === undefined) throw new Error('the local Azure has no cluster')
  const properties = Object.assign({}, cluster['properties'], {
    fqdn: apiServer,
    oidcIssuerProfile: { enabled: true, issuerURL },
  })
  // The kubeconfig holds the address of the API server and its CA.
  const server = { server: plane.url, 'certificate-authority-data': Buffer.from(plane.caCertificate).toString('base64') }
  azure.putResource({ ...cluster, properties, kubeconfig: JSON.stringify({ clusters: [{ name: 'local', cluster: server }] }) })
  if (textAt(azure.getResource(azure.clusterResourceId), 'properties.fqdn') !== apiServer) throw new Error('the cluster is not held')
}

/** Lets the API server trust Entra as AKS does: the user's name is the object id of the identity. The keys are read from the emulator. */
function trustEntra(azure: LocalAzure, plane: ControlPlane): void {
  const discoveryURL = `${azure.authorityUrl}/${azure.tenantId}/v2.0/.well-known/openid-configuration`
  writeAuthentication(plane.authenticationFile, [
    {
      issuer: { url: azure.issuer, discoveryURL, audiences: [KUBE_AUDIENCE], certificateAuthority: azure.caCertificate },
      claimMappings: { username: { claim: 'oid', prefix: '' }, groups: { claim: 'groups', prefix: '' } },
    },
  ])
}

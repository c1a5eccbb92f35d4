// Everything around an installation that is not part of Joiner: Azure with one cluster on a real control plane, the internet between them, and
// machines that boot.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { textAt } from '../../../local/azure/json.ts'
import { networkLabelsOf } from '../../../local/azure/networkLabels.ts'
import type { StartAzureOptions } from '../../../local/azure/options.ts'
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
import { createOwnedParts, type OwnedParts } from '../../../local/stack/ownedParts.ts'
import { AZD, DEPLOYER } from '../armCaller.ts'
import { grantDeployerRights } from '../deployerRights.ts'
import { PATIENCE_MS, until } from '../until.ts'
import { type Issuer, startIssuer } from './issuer.ts'
import { createOutlets, type Outlets } from './outlets.ts'
import { required, startSystemNodes } from './systemNodes.ts'

export interface World {
  readonly azure: LocalAzure
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
const API_SERVER = 'local.hcp.eastus.azmk8s.io'
/** Like the public address at which AKS publishes the keys: it differs from that of the API server. */
const ISSUER = 'https://issuer.oic.rehearsal.internal'
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
    startPlane(directory),
  ])
  await parts.own(() => Promise.all([azure.close(), plane.close()]))
  grantDeployerRights(azure)
  trustEntra(azure, plane)
  const client = createKubeClient(connectionFrom({ kubeconfig: plane.kubeconfigFile }))
  await parts.own(() => client.close())
  const issuer = await startIssuer(client, join(directory, 'plane', 'keys', 'accounts.pub'), parts)
  describeCluster(azure, plane, issuer.name)
  await letDeployerInto(client)
  await untilBelieved(azure, plane)
  const nodes = await startSystemNodes(client)
  await parts.own(() => nodes.close())
  const source = { kubeconfig: plane.kubeconfigFile }
  const controllers = await startControllers({ ...source, which: ['cloudnode'], speed: SPEED, machines: azure.machines })
  await parts.own(() => controllers.close())
  const port = Number(new URL(plane.url).port)
  const kubelets = await startKubelets({
    machines: azure.machines,
    speed: SPEED,
    podWatch: source,
    credentials: 'signingRequest',
    networkLabels: networkLabelsOf(azure),
    apiServerOverride: `127.0.0.1:${port}`,
  })
  await parts.own(() => kubelets.close())
  const caFile = join(directory, 'authorities.pem')
  writeFileSync(caFile, `${authority.certificate}\n${plane.caCertificate}`)
  return { azure, plane, issuer, client, authority, caFile, directory, apiServer: { host: API_SERVER, port }, outlets, parts }
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

async function startPlane(directory: string): Promise<ControlPlane> {
  const binaries = await findBinaries({ assets: process.env['KUBEBUILDER_ASSETS'], cache: CACHE, say: () => undefined })
  return startControlPlane({ binaries, folder: join(directory, 'plane'), serverNames: [API_SERVER], issuer: ISSUER })
}

/** Makes Azure's description of the cluster match the control plane. */
function describeCluster(azure: LocalAzure, plane: ControlPlane, issuerURL: string): void {
  const cluster = azure.getResource(azure.clusterResourceId)
  if (cluster === undefined) throw new Error('the local Azure has no cluster')
  const properties = Object.assign({}, cluster['properties'], {
    fqdn: API_SERVER,
    oidcIssuerProfile: { enabled: true, issuerURL },
  })
  // The kubeconfig holds the address of the API server and its CA.
  const server = { server: plane.url, 'certificate-authority-data': Buffer.from(plane.caCertificate).toString('base64') }
  azure.putResource({ ...cluster, properties, kubeconfig: JSON.stringify({ clusters: [{ name: 'local', cluster: server }] }) })
  if (textAt(azure.getResource(azure.clusterResourceId), 'properties.fqdn') !== API_SERVER) throw new Error('the cluster is not held')
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

import { parse } from 'yaml'
import * as z from 'zod'
import { createArmClients } from '../shared/adapters/azure/clients.ts'
import { readFacts } from '../shared/adapters/azure/clusterFacts.ts'
import { createDeployerCredential } from '../shared/adapters/azure/deployerCredential.ts'
import { createKubeTransport, type KubeTransport } from '../shared/adapters/kube/kubeTransport.ts'
import { createSystemClock } from '../shared/adapters/system/systemClock.ts'
import { settle } from '../shared/base/concurrency.ts'
import { err, messageOf, ok, type Result } from '../shared/base/result.ts'
import { PUBLIC_CLOUD } from '../shared/model/cloud.ts'
import type { ClusterFacts } from '../shared/model/clusterFacts.ts'
import { Fault, type Problem, problem } from '../shared/model/problem.ts'
import type { AbortSignalLike, Clock } from '../shared/ports/clock.ts'
import { MANAGED_CLUSTER_VERSION } from '../shared/wire/azure/managedCluster.ts'
import { KUBE_YAML } from '../shared/wire/kube/kubeYaml.ts'
import { type Arm, createArm, isFine, member, refusalOf } from './armCall.ts'

/** Environment variables of a process. They have the names of the app's settings, so that both can use the same endpoints. */
export type Environment = { readonly [name: string]: string | undefined }
type ArmOptions = Parameters<typeof createArmClients>[0]

/**
 * Access to Azure and its clusters for the person that installs or removes Joiner. Every call that leaves the process uses a member, so that tests
 * can fail any of them.
 */
export type Access = {
  readonly credential: ArmOptions['credential']
  /** Endpoint of ARM, for the clients of the SDK. */
  readonly armOptions: Pick<ArmOptions, 'endpoint' | 'ca' | 'around' | 'maxRetries' | 'retryDelayMs'>
  readonly arm: Arm
  readonly facts: (resourceId: string, signal?: AbortSignalLike) => Promise<Result<ClusterFacts, Problem>>
  /** Returns a bearer token for a resource. */
  readonly token: (audience: string) => Promise<string>
  /** Creates the transport to an API server. */
  readonly transport: (server: Pick<ClusterAccess, 'server' | 'caBundle' | 'token'>) => KubeTransport
  /** Requests to anybody else. */
  readonly web: (url: string, init?: RequestInit) => Promise<Response>
  readonly clock: Clock
}

/** Access to the API server of one cluster. */
export type ClusterAccess = {
  /** `https://host[:port]`, from the cluster's own kubeconfig. */
  readonly server: string
  /** Base64 of the PEM certificate of the cluster's certificate authority. */
  readonly caBundle: string
  readonly token: () => Promise<string>
  readonly call: KubeTransport
}

/** The application for which AKS API servers accept tokens, in every tenant. */
const AKS_SERVER_APP = '6dae42f8-4368-4678-94ff-3960e28e3630'

/** Uses the login of azd or az. Uses a managed identity only if the environment offers one and names it, as on the local stack. */
export function openAccess(
  environment: Environment,
  given: Partial<Pick<Access, 'credential' | 'clock'> & { readonly armOptions: Partial<Access['armOptions']> }> = {},
): Access {
  const clock = given.clock ?? createSystemClock()
  const { AZURE_CLIENT_ID: clientId, IDENTITY_ENDPOINT: identity, ARM_ENDPOINT: endpoint } = environment
  const tenantId = tenantIn(environment)
  const managedIdentityClientId = identity === undefined ? undefined : clientId
  const credential = given.credential ?? createDeployerCredential({ managedIdentityClientId, tenantId })
  const armOptions = { endpoint: endpoint || PUBLIC_CLOUD.facts.resourceManager, ...given.armOptions }
  return {
    credential,
    armOptions,
    clock,
    arm: createArm({ credential, clock, ...armOptions }),
    facts: (resourceId, signal = AbortSignal.timeout(FACTS_LIMIT_MS)) => {
      const [, , subscriptionId = ''] = resourceId.split('/')
      return readFacts(createArmClients({ credential, subscriptionId, clock, ...armOptions }), resourceId, {}, signal)
    },
    token: async (audience) => {
      const token = await settle(() => credential.getToken(`${audience}/.default`))
      if (token.ok && token.value !== null) return token.value.token
      if (!token.ok && token.error instanceof Fault) throw token.error
      const said = token.ok ? '' : `: ${messageOf(token.error)}`
      throw new Fault(`get a token for ${audience}`, problem('AZURE.FORBIDDEN', `nobody is logged in; run: azd auth login${said}`))
    },
    web: (url, init) => fetch(url, init),
    transport: (server) => createKubeTransport({ ...server, clock }),
  }
}

/**
 * Returns the tenant to log in to. A person may set AZURE_TENANT_ID, as for other programs of Azure; azd sets none. JOINER_TENANT_ID is an output of
 * the templates. Undefined: the tenant of the login.
 */
export function tenantIn({ AZURE_TENANT_ID: set, JOINER_TENANT_ID: deployed }: Environment): string | undefined {
  return set || deployed || undefined
}

const FACTS_LIMIT_MS = 60_000

const kubeconfig = z.object({
  clusters: z.array(z.object({ cluster: z.object({ server: z.string(), 'certificate-authority-data': z.string() }) })).min(1),
})
const credentials = z.object({ kubeconfigs: z.array(z.object({ value: z.string() })).min(1) })

/**
 * Opens a cluster without kubelogin. ARM returns URL and certificate authority of the API server to callers with the role Azure Kubernetes Service
 * Cluster User. Requests use an Entra token. The credential in ARM's answer is not used.
 */
export async function openCluster(
  { arm, token, transport }: Pick<Access, 'arm' | 'token' | 'transport'>,
  resourceId: string,
  { audience = AKS_SERVER_APP }: { readonly audience?: string } = {},
): Promise<Result<ClusterAccess, Problem>> {
  const path = `${resourceId}/listClusterUserCredential`
  const answer = await arm({ method: 'POST', path, version: MANAGED_CLUSTER_VERSION })
  if (!isFine(answer)) {
    const hint = answer.status === 403 ? '; ask for the role Azure Kubernetes Service Cluster User Role on the cluster' : ''
    return err(problem('AZURE.FORBIDDEN', `the address of the API server of ${resourceId} is not told: ${refusalOf(answer)}${hint}`))
  }
  const read = readKubeconfig(answer.body)
  if (read === undefined) return err(problem('AZURE.FAILED', `what Azure tells of the API server of ${resourceId} is no kubeconfig`))
  const server = { ...read, token: () => token(audience) }
  return ok({ ...server, call: transport(server) })
}

function readKubeconfig(body: unknown): Pick<ClusterAccess, 'server' | 'caBundle'> | undefined {
  const [first] = credentials.safeParse(body).data?.kubeconfigs ?? []
  if (first === undefined) return undefined
  const [named] = kubeconfig.safeParse(parsedYaml(Buffer.from(first.value, 'base64').toString('utf8'))).data?.clusters ?? []
  // Removes the default port, which AKS writes into the URL.
  return named && { server: new URL(named.cluster.server).origin, caBundle: named.cluster['certificate-authority-data'] }
}

function parsedYaml(text: string): unknown {
  try {
    return parse(text, KUBE_YAML)
  } catch {
    return undefined
  }
}

/** Returns the object id that a token is for. The token is not verified. */
export function objectIdOf(token: string): string | undefined {
  const [, payload = ''] = token.split('.')
  try {
    const oid = member(JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')), 'oid')
    return typeof oid === 'string' ? oid : undefined
  } catch {
    return undefined
  }
}

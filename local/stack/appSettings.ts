import type { LocalAzure } from '../azure/startAzure.ts'
import type { Endpoints } from './endpoints.ts'
import { APP_AUDIENCE, APP_IDENTITY, KUBE_AUDIENCE, LOCAL_CLUSTER, READER_IDENTITY, SHIM_AUDIENCE, SHIM_IDENTITY } from './identities.ts'

export type AppSurroundings = {
  readonly azure: LocalAzure
  readonly endpoints: Pick<Endpoints, 'armUrl' | 'kubernetesUrl' | 'kubernetesCa' | 'storageConnection'>
  /** Settings that take precedence over those below. */
  readonly more?: { readonly [name: string]: string }
}

/** Returns the settings of the function app on the local stack: those of a deployment in Azure, with loopback addresses. */
export function appSettings({ azure, endpoints, more }: AppSurroundings): Record<string, string> {
  const cluster = {
    id: LOCAL_CLUSTER,
    resourceId: azure.clusterResourceId,
    // AKS has a host name without a port here.
    apiServer: endpoints.kubernetesUrl,
    caBundle: Buffer.from(endpoints.kubernetesCa).toString('base64'),
    eventGridTopicId: azure.topicId,
    allowedShimIdentities: [SHIM_IDENTITY.objectId],
    allowedReaderIdentities: [READER_IDENTITY.objectId],
    apiServerAudience: KUBE_AUDIENCE,
  }
  return {
    AzureWebJobsStorage: endpoints.storageConnection,
    JOINER_CLUSTERS: JSON.stringify([cluster]),
    ENTRA_TENANT_ID: azure.tenantId,
    ENTRA_AUDIENCE: APP_AUDIENCE,
    ENTRA_AUTHORITY: azure.authorityUrl,
    SHIM_AUTH: 'serviceAccount',
    SHIM_AUDIENCE,
    AZURE_CLIENT_ID: APP_IDENTITY.clientId,
    IDENTITY_ENDPOINT: azure.identityEndpoint,
    IDENTITY_HEADER: azure.identityHeader,
    ARM_ENDPOINT: endpoints.armUrl,
    PRICES_ENDPOINT: azure.pricesUrl,
    // An idle queue is polled ten times a second, because requests to the loopback address cost nothing.
    AzureFunctionsJobHost__extensions__queues__maxPollingInterval: '00:00:00.1',
    BATCH_IDLE_DURATION: '1s',
    BATCH_MAX_DURATION: '10s',
    LEASE_DURATION: '15s',
    RESYNC_SCHEDULE: '*/15 * * * * *',
    DISRUPTION_SCHEDULE: '*/10 * * * * *',
    CATALOG_SCHEDULE: '0 */10 * * * *',
    GC_SCHEDULE: '30 */2 * * * *',
    ...more,
  }
}

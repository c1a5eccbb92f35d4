/** Names of the one cluster of the local stack and of those who act on it. The same at each start; none opens anything elsewhere. */
export const LOCAL_CLUSTER = 'local'

/** The function app's managed identity: what it is in Entra, and who it is to the API server. */
export const APP_IDENTITY = { clientId: '00000000-0000-4000-8000-00000000a003', objectId: '00000000-0000-4000-8000-00000000a004' }

/** The shim's workload identity. */
export const SHIM_IDENTITY = { clientId: '00000000-0000-4000-8000-00000000a005', objectId: '00000000-0000-4000-8000-00000000a006' }

/** A person who looks at status and explanations. */
export const READER_IDENTITY = { clientId: '00000000-0000-4000-8000-00000000a009', objectId: '00000000-0000-4000-8000-00000000a00a' }

/** What a token of the tenant must be made for to be taken by the function app, one of the shim's service account, and one for the API server. */
export const APP_AUDIENCE = 'joiner-local'
export const SHIM_AUDIENCE = 'api://joiner-local'
export const KUBE_AUDIENCE = '6dae42f8-4368-4678-94ff-3960e28e3630'

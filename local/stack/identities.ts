/** The name of the one cluster of the local stack. This name and the ids below are the same at each start and give access to nothing elsewhere. */
export const LOCAL_CLUSTER = 'local'

/** The function app's managed identity: its client id in Entra, and its object id, which is its user name at the API server. */
export const APP_IDENTITY = { clientId: '00000000-0000-4000-8000-00000000a003', objectId: '00000000-0000-4000-8000-00000000a004' }

/** The shim's workload identity. */
export const SHIM_IDENTITY = { clientId: '00000000-0000-4000-8000-00000000a005', objectId: '00000000-0000-4000-8000-00000000a006' }

/** A person who reads status and explanations. */
export const READER_IDENTITY = { clientId: '00000000-0000-4000-8000-00000000a009', objectId: '00000000-0000-4000-8000-00000000a00a' }

/** Audiences of tokens for the function app, of the shim's service account tokens, and of tokens for the API server. */
export const APP_AUDIENCE = 'joiner-local'
export const SHIM_AUDIENCE = 'api://joiner-local'
export const KUBE_AUDIENCE = '6dae42f8-4368-4678-94ff-3960e28e3630'

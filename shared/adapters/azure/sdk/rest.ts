// Imported on demand, see compute.ts.
export { getClient } from '@azure-rest/core-client'

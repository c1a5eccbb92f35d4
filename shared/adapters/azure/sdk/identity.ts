// Imported on demand, see compute.ts.
export { DefaultAzureCredential, ManagedIdentityCredential } from '@azure/identity'

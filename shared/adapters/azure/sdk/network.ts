// Imported on demand, see compute.ts.
export { NetworkManagementClient } from '@azure/arm-network'

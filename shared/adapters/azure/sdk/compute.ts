// Imported on demand by its own path, so that a bundler makes a file of it and leaves out what nobody names.
export { ComputeManagementClient } from '@azure/arm-compute'

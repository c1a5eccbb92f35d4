// Imported on demand through this file, so that a bundler puts it into a file of its own and leaves out unused exports.
export { ComputeManagementClient } from '@azure/arm-compute'

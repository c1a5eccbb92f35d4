/** The app, host.json or a setting asks for something that is wrong or not emulated. */
export class HostError extends Error {
  override readonly name: string = 'HostError'
}

/** One function is wrong. The platform leaves this function out, and runs the others. */
export class FunctionError extends HostError {
  override readonly name = 'FunctionError'
}

/** The host refuses: the app, host.json or a setting asks for something wrong, or for something that is not emulated. */
export class HostError extends Error {
  override readonly name = 'HostError'
}

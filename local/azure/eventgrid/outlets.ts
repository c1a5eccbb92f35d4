/** Destinations outside Event Grid: apps and storage accounts, by their resource ids. */
export type Outlets = {
  /** Returns the webhook of a function, with its key. Undefined until the app exists. */
  functionUrl(functionId: string): string | undefined
  enqueue(storageId: string, queue: string, text: string, ttlSeconds: number | undefined): Promise<void>
  writeBlob(storageId: string, container: string, path: string, text: string): Promise<void>
}

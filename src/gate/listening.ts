// A server's `listen` as a promise. Knows nothing else.
import type { ListenOptions, Server } from 'node:net';

export function listening(server: Server, o: ListenOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    const onError = (e: Error) => {
      server.removeListener('listening', onListening);
      reject(e);
    };
    const onListening = () => {
      server.removeListener('error', onError);
      resolve();
    };
    server.once('error', onError);
    server.once('listening', onListening);
    server.listen(o);
  });
}

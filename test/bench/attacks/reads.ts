import { type Attack, askForever, flood } from './flood.ts';
import { get } from './requests.ts';

/** The sensor with the readings of years, and the records that the benchmark loads. */
export const longSensor = 'S-1';

const sensor = `/api/v1/sensors/${longSensor}/readings`;
const page = `${sensor}?limit=100000`;
const everything = 'agg=avg,min,max,last,count';

/** A single bucket out of years. */
export const firstBucket = asked(20, `${sensor}?bucket=1h&limit=1`);
/** All of the years in one bucket. */
export const oneBucketOfYears = asked(20, `${sensor}?bucket=36500d&${everything}`);
/** The same in buckets that no sums of quarters of an hour help. */
export const oddBuckets = asked(20, `${sensor}?bucket=99999m&${everything}`);
/** A year of twenty sensors in one request. */
const manySensors = Array.from({ length: 20 }, (_, n) => `S-${n + 12}`).join(',');
const yearOfMany = `/api/v1/readings?sensor=${manySensors}&from=2010-01-01T00:00:00Z&to=2011-01-01T00:00:00Z&limit=100000&${everything}`;
export const dailyBucketsOfMany = asked(20, `${yearOfMany}&bucket=1d`);
export const hourlyBucketsOfMany = asked(20, `${yearOfMany}&bucket=1h`);
/** As many buckets as may be, each of a few readings. */
export const smallestBuckets = asked(20, `${sensor}?bucket=1s&limit=100000&${everything}`);
/** Buckets of a day over years. */
export const dailyBuckets = asked(20, `${sensor}?bucket=1d&limit=100000&${everything}`);

/** Sixty of the largest pages at once, and again. */
export const pagesJson = asked(60, page);
export const pagesNdjson = asked(60, page, 'Accept: application/x-ndjson');
export const pagesCsv = asked(60, page, 'Accept: text/csv');
export const pagesGzip = asked(60, page, 'Accept-Encoding: gzip');
export const pagesBrotli = asked(60, page, 'Accept-Encoding: br', 'Accept: application/x-ndjson');
/** The same without their bodies. */
export const pagesHead: Attack = (target, signal) =>
  flood(target, signal, {
    connections: 60,
    play(socket) {
      const request = get(page, target.key).replace('GET', 'HEAD');
      socket.on('data', () => socket.write(request));
      socket.write(request);
    },
  });

/** Sixty of the largest pages in one packet. */
export const pagesPipelined = pipelined(60, page);
/** Pages that are just small enough to be read at once, a minute's worth of them in ten packets: no more may wait on a connection. */
export const smallPagesPipelined = pipelined(65, `${sensor}?limit=500`, 10);
/** The same over many connections: with all of `everything` fewer than one address may have. */
export const smallPages = asked(150, `${sensor}?limit=500`);

/** The largest pages, of which nothing is taken. */
export const pagesUntaken: Attack = (target, signal) =>
  flood(target, signal, {
    connections: 60,
    play(socket) {
      socket.write(get(page, target.key));
      socket.pause();
    },
  });

/** The largest reads, left as soon as they are asked for. */
export const pagesAbandoned: Attack = (target, signal) =>
  flood(target, signal, {
    connections: 60,
    play(socket) {
      socket.end(get(`${sensor}?bucket=99999m`, target.key));
      setTimeout(() => socket.destroy(), 5);
    },
  });

/** The largest pages of records, of which none is kept: each asks for another cut of the time. */
export const recordPages = cut(
  50,
  (n) => `/api/v1/parts?limit=500&updated_since=2001-01-01T00:00:${seconds(n)}Z`,
);
/** Values that many records have and that hardly meet: ten thousand records are looked through for a page without any. */
export const recordsThatHardlyMeet = cut(
  50,
  (n) =>
    `/api/v1/parts?limit=500&is_active=false&category=Category+1&updated_since=2001-01-01T00:00:${seconds(n)}Z`,
);
/** The same in the order of an index that leads all over the table. */
export const recordsSorted = cut(
  50,
  (n) =>
    `/api/v1/parts?limit=500&sort=-part_number&is_active=false&category=Category+1&updated_since=2001-01-01T00:00:${seconds(n)}Z`,
);
/** The same, as many as may wait in one packet. */
export const recordsPipelined: Attack = (target, signal) =>
  flood(target, signal, {
    connections: 1,
    play(socket) {
      socket.resume();
      const requests = Array.from({ length: 65 }, (_, n) =>
        get(
          `/api/v1/parts?limit=500&is_active=false&category=Category+1&updated_since=2001-01-01T00:00:${seconds(n)}Z`,
          target.key,
        ),
      );
      socket.write(requests.join(''));
    },
  });
/** The largest pages of orders with all their services, none of them kept; as JSON and as CSV. */
export const ordersWithServices = cut(
  50,
  (n) => `/api/v1/orders?limit=500&include=services&updated_since=2001-01-01T00:00:${seconds(n)}Z`,
);
export const ordersAsCsv = cut(
  50,
  (n) => `/api/v1/orders?limit=500&include=services&updated_since=2001-01-01T00:00:${seconds(n)}Z`,
  'Accept: text/csv',
);
/** The pages of a whole list, one after the other on each connection, to its sync token; and then what changed since, which is nothing. */
export const mirrors: Attack = (target, signal) =>
  flood(target, signal, {
    connections: 50,
    play(socket) {
      const first = '/api/v1/parts?limit=500';
      let received = '';
      socket.on('data', (chunk: Buffer) => {
        received += chunk.toString('latin1');
        const end = received.indexOf('\r\n\r\n');
        const length = Number(/content-length: (\d+)/i.exec(received)?.[1] ?? 0);
        if (end === -1 || received.length < end + 4 + length) return;
        const [, cursor] = /"next_cursor":"([^"]+)"/.exec(received) ?? [];
        const [, token] = /"sync_token":"([^"]+)"/.exec(received) ?? [];
        received = '';
        const path = cursor
          ? `${first}&cursor=${cursor}`
          : token
            ? `${first}&sync_token=${token}`
            : first;
        socket.write(get(path, target.key));
      });
      socket.write(get(first, target.key));
    },
  });
/** All sensors with the last that was heard from each. */
export const sensorLists = asked(50, '/api/v1/sensors?limit=500');

const own = {
  firstBucket,
  oneBucketOfYears,
  oddBuckets,
  smallestBuckets,
  dailyBuckets,
  dailyBucketsOfMany,
  hourlyBucketsOfMany,
  pagesJson,
  pagesNdjson,
  pagesCsv,
  pagesGzip,
  pagesBrotli,
  pagesHead,
  pagesPipelined,
  smallPagesPipelined,
  smallPages,
  pagesUntaken,
  pagesAbandoned,
  recordPages,
  recordsThatHardlyMeet,
  recordsSorted,
  recordsPipelined,
  ordersWithServices,
  ordersAsCsv,
  mirrors,
  sensorLists,
};

/** What one client may do with reads to hold up the others; in a process of their own, like those of connections. */
export const readAttacks: readonly { name: string; run: Attack }[] = Object.entries(own).map(
  ([name, run]) => ({
    name,
    run,
  }),
);

/** Asks the same over some connections, each as soon as the one before was answered. */
function asked(connections: number, path: string, ...headers: readonly string[]): Attack {
  return (target, signal) =>
    flood(target, signal, {
      connections,
      play: (socket) => askForever(socket, get(path, target.key, ...headers)),
    });
}

/** Asks so often in one packet, and waits for the answers. */
function pipelined(requests: number, path: string, connections = 1): Attack {
  return (target, signal) =>
    flood(target, signal, {
      connections,
      play(socket) {
        socket.resume();
        socket.write(get(path, target.key).repeat(requests));
      },
    });
}

/** Asks for something else with every request, so that no kept page answers it. */
function cut(
  connections: number,
  pathOf: (n: number) => string,
  ...headers: readonly string[]
): Attack {
  return (target, signal) => {
    let n = 0;
    return flood(target, signal, {
      connections,
      play(socket) {
        const ask = (): boolean => socket.write(get(pathOf(n++), target.key, ...headers));
        let missing = 0;
        socket.on('data', (chunk: Buffer) => {
          if (missing <= 0) {
            const head = chunk.toString('latin1');
            missing =
              Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0) + head.indexOf('\r\n\r\n') + 4;
          }
          missing -= chunk.length;
          if (missing <= 0) ask();
        });
        ask();
      },
    });
  };
}

function seconds(n: number): string {
  return (n / 1e6).toFixed(6).padStart(9, '0');
}

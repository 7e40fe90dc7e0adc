# mirror.py URL KEYFILE DATABASE
import json, sqlite3, sys, time
from urllib import error, parse, request

if len(sys.argv) != 4:
    print('usage: mirror.py URL KEYFILE DATABASE', file=sys.stderr)
    sys.exit(2)
url, key_file, database = sys.argv[1:]
headers = {'Authorization': 'Bearer ' + open(key_file).read().strip()}
db = sqlite3.connect(database)
db.execute('create table if not exists records (id primary key, record)')
db.execute('create table if not exists state (token)')

def get(query):
    while True:
        try:
            page = request.Request(url + '?' + parse.urlencode(query), headers=headers)
            return json.load(request.urlopen(page, timeout=60))
        except error.HTTPError as refusal:
            if refusal.code not in (429, 503): raise
            time.sleep(int(refusal.headers.get('Retry-After', 5)))

def sync(token):
    query = {'limit': 500, 'sync_token': token} if token else {'limit': 500}
    if not token: db.execute('delete from records')
    while query.get('cursor', '') is not None:
        page = get(query)
        db.executemany('replace into records values (?, ?)', [(r['id'], json.dumps(r)) for r in page['data']])
        db.executemany('delete from records where id = ?', [(id,) for id in page.get('removed', [])])
        query['cursor'] = page['next_cursor']
    db.execute('delete from state')
    db.execute('insert into state values (?)', [page['sync_token']])

try:
    sync((db.execute('select token from state').fetchone() or [None])[0])
except error.HTTPError as refusal:
    if refusal.code != 410: sys.exit(refusal.read().decode())
    sync(None)
db.commit()

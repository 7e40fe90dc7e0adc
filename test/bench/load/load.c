/*
 * Puts load on an HTTP/1.1 server of this machine over connections that stay open, and costs next to no processor time itself:
 * one thread, epoll, and texts that lie ready. Each connection sends its next request once it has its answer.
 *
 *   load PORT CONNECTIONS SECONDS get REQUEST STATUS PACE  a "@@@@@@" in the request counts up; one connection alone
 *                                                          may send at a pace, in ms (else 0)
 *   load PORT CONNECTIONS SECONDS FORM HEAD SENSORS IN_BODY SIZE START
 *                                                          POSTs of SIZE readings, HEAD without length and blank line
 *
 * Gateways of IN_BODY sensors each send one reading a second of each of their sensors, from START (epoch seconds) on, with two
 * decimals that wander, in one of the forms below. Prints "requests seconds p50 p99 errors", times in ms.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { BUCKETS = 400000, BUCKET_NS = 25000, HEAD_MAX = 2048, ANSWER_MAX = 1 << 20 };

typedef struct {
  int fd;
  /* What is sent: the body lies at HEAD_MAX, and the head before it. */
  char *out, *from, *to;
  char *in;
  size_t got;
  double began;
} Connection;

/* The texts around a body, a sensor and a time (by strftime), and the end of a reading. */
typedef struct { const char *word, *begin, *sensor, *time, *next, *end; } Form;

#define MEMBERS "{\"readings\":[", "{\"sensor\":\"SENSOR-%d\",\"at\":"
static const Form forms[] = {
  {"json", MEMBERS, "\"%Y-%m-%dT%H:%M:%S.000Z\",\"value\":", "},", "]}"},
  {"seconds", MEMBERS, "\"%Y-%m-%dT%H:%M:%SZ\",\"value\":", "},", "]}"},
  {"millis", MEMBERS, "%s000,\"value\":", "},", "]}"},
  {"senml", "[", "{\"n\":\"SENSOR-%d\",\"t\":", "%s,\"v\":", "},", "]"},
  {"line", "", "temperature,sensor=SENSOR-%d value=", " %s000000000\n", "", ""},
};

static const Form *form;
static int is_json, is_get, status = 204, sensors, in_body, size;
static long start, turn;
static double pace_ns;
static const char *head, *counter;
static size_t head_length;
static struct { char text[64]; size_t length; int value; } *names;
static unsigned histogram[BUCKETS];
static unsigned seed = 1;

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1e9 + time.tv_nsec;
}

static void fail(const char *what) {
  perror(what);
  exit(1);
}

static char *put(char *at, const char *text, size_t length) {
  memcpy(at, text, length);
  return at + length;
}

static char *put_text(char *at, const char *text) {
  return put(at, text, strlen(text));
}

/* The text of a second, which most readings of a body share with the one before. */
static const char *instant(long second, size_t *length) {
  static long last = -1;
  static char text[40];
  static size_t known;
  if (second != last) {
    time_t time = second;
    struct tm parts;
    known = strftime(text, sizeof text, form->time, gmtime_r(&time, &parts));
    last = second;
  }
  *length = known;
  return text;
}

static char *put_value(char *at, int value) {
  *at++ = '0' + value / 1000;
  *at++ = '0' + value / 100 % 10;
  *at++ = '.';
  *at++ = '0' + value / 10 % 10;
  *at++ = '0' + value % 10;
  return at;
}

static char *put_reading(char *at, int sensor, long second) {
  size_t length;
  const char *text = instant(second, &length);
  seed = seed * 1664525u + 1013904223u;
  int value = names[sensor].value + (int)(seed >> 29) - 3;
  names[sensor].value = value = value < 1000 ? 1000 : value > 9999 ? 9999 : value;
  at = put(at, names[sensor].text, names[sensor].length);
  if (!is_json) return put(put_value(at, value), text, length);
  return put_text(put_value(put(at, text, length), value), form->next);
}

/* A body of one gateway; its readings follow those of the one before. */
static char *put_body(char *at) {
  at = put_text(at, form->begin);
  int width = size < in_body ? size : in_body;
  long groups = sensors / width, group = turn % groups, round = turn / groups;
  long seconds = (size + width - 1) / width;
  turn++;
  for (int n = 0; n < size; n++) at = put_reading(at, group * width + n % width, start + round * seconds + n / width);
  return is_json ? put_text(at - 1, form->end) : at;
}

static void prepare(Connection *one) {
  one->got = 0;
  char *body = one->out + HEAD_MAX, text[40];
  one->to = is_get ? body : put_body(body);
  size_t length = is_get ? 0 : sprintf(text, "Content-Length: %zu\r\n\r\n", one->to - body);
  one->from = body - length - head_length;
  put(put(one->from, head, head_length), text, length);
  if (!counter) return;
  sprintf(text, "%06ld", turn++ % 1000000);
  put(one->from + (counter - head), text, 6);
}

/* 1 if an answer is whole; then `*ok` says whether it is a good one. */
static int is_whole(Connection *one, int *ok) {
  one->in[one->got] = 0;
  char *end = strstr(one->in, "\r\n\r\n");
  if (!end) return 0;
  int got = atoi(one->in + 9);
  *ok = got == status;
  if (got == 204 || got == 304) return 1;
  char *length = strcasestr(one->in, "\r\ncontent-length:");
  if (length && length < end) {
    if (one->got < (size_t)(end + 4 - one->in) + atol(length + 17)) return 0;
  } else if (memcmp(one->in + one->got - 5, "0\r\n\r\n", 5) != 0) return 0;
  if (is_json && !strstr(end, "\"duplicates\":0,\"rejected\":[]")) *ok = 0;
  return 1;
}

static void count(double ns) {
  size_t bucket = ns / BUCKET_NS;
  histogram[bucket < BUCKETS ? bucket : BUCKETS - 1]++;
}

static double percentile(unsigned long requests, double part) {
  unsigned long wanted = requests * part, seen = 0;
  for (int bucket = 0; bucket < BUCKETS; bucket++)
    if ((seen += histogram[bucket]) > wanted) return (bucket + 0.5) * BUCKET_NS / 1e6;
  return 0;
}

static void dial(Connection *one, int port, int poll) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  int on = 1;
  one->fd = socket(AF_INET, SOCK_STREAM, 0);
  if (one->fd < 0 || connect(one->fd, (struct sockaddr *)&address, sizeof address) < 0) fail("connect");
  setsockopt(one->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  struct epoll_event event = {.events = EPOLLIN | EPOLLOUT | EPOLLET, .data.ptr = one};
  if (epoll_ctl(poll, EPOLL_CTL_ADD, one->fd, &event) < 0) fail("epoll_ctl");
}

/* Sends as much as goes; the rest once the socket takes more. */
static void push(Connection *one) {
  while (one->from < one->to) {
    ssize_t sent = send(one->fd, one->from, one->to - one->from, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && errno != EAGAIN) fail("send");
    if (sent < 0) return;
    one->from += sent;
  }
}

int main(int count_of_arguments, char **arguments) {
  if (count_of_arguments != 8 && count_of_arguments != 10) return 2;
  int port = atoi(arguments[1]), connections = atoi(arguments[2]);
  double seconds = atof(arguments[3]);
  is_get = strcmp(arguments[4], "get") == 0;
  for (size_t n = 0; n < sizeof forms / sizeof *forms; n++)
    if (strcmp(arguments[4], forms[n].word) == 0) form = &forms[n];
  if (!is_get && !form) return 2;
  is_json = form && *form->end;
  head = arguments[5];
  head_length = strlen(head);
  if (head_length > HEAD_MAX - 40) return 2;
  if (is_json) status = 200;
  if (is_get) {
    status = atoi(arguments[6]);
    pace_ns = atof(arguments[7]) * 1e6;
    counter = strstr(head, "@@@@@@");
  } else {
    sensors = atoi(arguments[6]), in_body = atoi(arguments[7]), size = atoi(arguments[8]), start = atol(arguments[9]);
    names = calloc(sensors, sizeof *names);
    /* For %s of strftime. */
    setenv("TZ", "UTC", 1);
    for (int n = 0; n < sensors; n++) {
      names[n].length = sprintf(names[n].text, form->sensor, n);
      names[n].value = 2000 + n % 5000;
    }
  }
  int poll = epoll_create1(0);
  Connection *all = calloc(connections, sizeof *all);
  double began = now(), end = began + seconds * 1e9, ended = began;
  for (int n = 0; n < connections; n++) {
    all[n].out = malloc(HEAD_MAX + 128 * (size_t)(size + 1));
    all[n].in = malloc(ANSWER_MAX + 1);
    dial(&all[n], port, poll);
    prepare(&all[n]);
    all[n].began = now();
    push(&all[n]);
  }
  unsigned long requests = 0, errors = 0;
  for (int open = connections; open > 0;) {
    struct epoll_event events[64];
    int ready = epoll_wait(poll, events, 64, 20000);
    if (ready <= 0) return fprintf(stderr, "no answer for 20 s\n"), 1;
    for (int n = 0; n < ready; n++) {
      Connection *one = events[n].data.ptr;
      push(one);
      ssize_t got = recv(one->fd, one->in + one->got, ANSWER_MAX - one->got, MSG_DONTWAIT);
      if (got < 0 && errno == EAGAIN) continue;
      if (got <= 0) return fprintf(stderr, "the server closed a connection\n"), 1;
      one->got += got;
      int is_good;
      if (!is_whole(one, &is_good)) continue;
      ended = now();
      count(ended - one->began);
      requests++;
      errors += !is_good;
      if (ended < end) {
        double early = one->began + pace_ns - ended;
        if (early > 0) usleep(early / 1000);
        prepare(one);
        one->began = now();
        push(one);
      } else {
        close(one->fd);
        open--;
      }
    }
  }
  printf("%lu %.6f %.3f %.3f %lu\n", requests, (ended - began) / 1e9, percentile(requests, 0.5), percentile(requests, 0.99), errors);
  return 0;
}

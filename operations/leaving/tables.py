"""What leaves with a lab, and what does not: every model of the installation is in one of the two lists.

A test walks all models and fields. A new one has to be entered here before it passes, so that no secret leaves because
nobody thought of it.
"""

from dataclasses import dataclass

WORK = "work of this installation, which another begins anew"
SECRET = "secrets"
OUTBOX = "messages to people, sent or on their way"
FRAMEWORK = "the framework's own; the service keeps nothing in it"
KEPT_AGAIN = "kept by the database, which counts again"
OF_THE_SOFTWARE = "of the software, not of the lab: releases are added again"


@dataclass(frozen=True)
class LeavingTable:
    """One model that is exported, with each of its columns in one of three places.

    `computed` ones are exported and compared, but written by the database; `left_out` ones stay here. What is not
    `imported` leaves to be read: it means nothing in another installation, or would need a secret.
    """

    name: str
    columns: tuple[str, ...]
    computed: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    imported: bool = True


def _table(name: str, columns: str, *, computed: str = "", left_out: str = "", imported: bool = True) -> LeavingTable:
    return LeavingTable(name, tuple(columns.split()), tuple(computed.split()), tuple(left_out.split()), imported)


# In the order in which they are imported: what a row refers to comes before it.
EXPORTED: dict[str, LeavingTable] = {
    "accounts.User": _table(
        "people",
        "id email display_name is_admin is_active time_zone created_at",
        left_out="password last_login tour_ended_at",
    ),
    "accounts.Token": _table(
        "tokens",
        "id prefix name scopes instrument_ids created_by created_at expires_at last_used_at revoked_at",
        left_out="digest",
    ),
    "accounts.Invitation": _table(
        "invitations",
        "id email is_admin group_ids invited_by created_at expires_at accepted_at",
        left_out="digest",
        imported=False,
    ),
    "instruments.Instrument": _table(
        "instruments",
        "id display_name status instrument_type time_zone expect_files_every_hours visibility created_at updated_at"
        " purge_deleted_after_days expire_raw_after_days expire_processed_after_days expire_archives_after_days"
        " cold_raw_after_days",
        computed="run_count",
    ),
    "instruments.Group": _table("groups", "id name claimed_as created_at"),
    "instruments.Membership": _table("memberships", "id group person role is_claimed"),
    "instruments.GroupInstrument": _table("group_instruments", "id group instrument"),
    "runs.Project": _table("projects", "id name description link eln_template archived_at created_at"),
    "watchers.Watcher": _table(
        "watchers",
        "id instrument token hostname os_info agent_version channel status upload_mode watch_directory"
        " last_heartbeat_at offline_announced_at instance_id other_instance_id instance_conflict_at folder_state"
        " folder_away_since folder_away_announced_at folder_last_scan_at folder_last_file_at folder_files_waiting"
        " folder_bytes_waiting no_files_announced_at config_yaml config_checksum config_updated_at file_patterns"
        " created_at updated_at deleted_at",
    ),
    "watchers.TakeOver": _table("take_overs", "id watcher former_token token taken_at"),
    "watchers.WatcherEvent": _table("events", "id watcher event_id event_type happened_at message details received_at"),
    "runs.Run": _table(
        "runs",
        "id instrument run_id source watcher caller_metadata extracted tags project acquired_at created_at updated_at"
        " deleted_at deleted_by deleted_by_token purged_at",
        computed="metadata file_count total_size_bytes comment_count claim_count",
        left_out="terms search_key happened_at size_class status processing_since"
        " n_failed n_pending n_uploaded n_processing n_completed",
    ),
    "runs.Claim": _table("claims", "id run user claimed_at"),
    "runs.Comment": _table("comments", "id run user token body created_at edited_at deleted_at"),
    "runs.Mention": _table("mentions", "id comment user created_at"),
    "runs.ElnTemplate": _table("eln_template", "id template changed_by changed_at"),
    "runs.Hold": _table("holds", "id run project reason placed_by placed_at"),
    "runs.SavedView": _table("saved_views", "id owner name query is_shared instrument created_at"),
    "files.File": _table(
        "files",
        "id run filename relative_path natural_key report_kind category status content_type size_bytes sha256 crc32"
        " storage_key caller_metadata extracted error_message source_file version version_of detected_at"
        " upload_requested_at uploaded_at processing_since processed_at created_at file_created_at deleted_at"
        " purged_at purged_by_rule",
        computed="metadata",
        left_out="storage_bucket key_nonce multipart_upload_id part_size storage_class restore_requested_at hot_until",
    ),
    "runs.Signature": _table(  # behind the files that they freeze
        "signatures",
        "id run meaning signer printed_name proven_by signed_at digest revoked_at revoked_by revocation_reason",
    ),
    "runs.ShareLink": _table(
        "share_links",
        "id run made_by made_by_token created_at expires_at revoked_at revoked_by revoked_by_token open_count"
        " last_opened_at",
        left_out="digest",
        imported=False,
    ),
    "datasets.Dataset": _table(
        "datasets",
        "id run source_file file name title kind columns column_names row_count statistics processor"
        " processor_version created_at",
    ),
    "notifications.Preference": _table("preferences", "id user kind in_app chat email email_daily"),
    "notifications.NotificationRule": _table(
        "notification_rules",
        "id user event whose person instrument project tag in_app email paused_at created_at",
    ),
    "notifications.Follow": _table("follows", "id user instrument"),
    "feedback.Report": _table(
        "feedback",
        "id kind title description page_url created_by created_at status repository issue_number url synced_at"
        " error_message",
        imported=False,
    ),
    "changes.Webhook": _table(
        "webhooks",
        "id kind description event_types instrument_ids is_active disabled_reason created_by created_at"
        " last_success_at failing_since failures",
        left_out="url sealed_secret former_sealed_secret former_until due_at is_slow lease_id lease_until",
        imported=False,
    ),
    "accounts.Integration": _table(
        "integrations",
        "kind base_url target changed_by changed_at last_ok_at last_error_at last_error",
        left_out="sealed_secret",
        imported=False,
    ),
}
# The trail's own tables leave as trail.jsonl, which says what changed and by whom.
STAYING: dict[str, str] = {
    "accounts.Session": SECRET,
    "accounts.SpentCode": SECRET,
    "accounts.LoginCode": SECRET,
    "accounts.IdempotentAnswer": SECRET,
    "accounts.FirstLink": SECRET,
    "accounts.SecondFactor": SECRET,
    "mfa.Authenticator": SECRET,
    "sessions.Session": SECRET,
    "account.EmailConfirmation": SECRET,
    "socialaccount.SocialApp": SECRET,
    "socialaccount.SocialToken": SECRET,
    "socialaccount.SocialAccount": "of the identity provider, which knows people again by their address",
    "account.EmailAddress": "who signs in gets it again",
    "oauth2_provider.Application": SECRET,
    "oauth2_provider.Grant": SECRET,
    "oauth2_provider.AccessToken": SECRET,
    "oauth2_provider.RefreshToken": SECRET,
    "oauth2_provider.IDToken": SECRET,
    "oauth2_provider.DeviceGrant": SECRET,
    "watchers.EnrolmentCode": SECRET,
    "accounts.TrailLink": "seals rows of this database; heads that were kept prove them here",
    "accounts.TrailChain": "seals rows of this database; heads that were kept prove them here",
    "accounts.TrailSealer": WORK,
    "accounts.TrailDetachment": "of rows of this database's trail, which were written to files of their own",
    "watchers.WatcherRelease": OF_THE_SOFTWARE,
    "watchers.ReleaseInstaller": OF_THE_SOFTWARE,
    "watchers.WantedConfig": WORK,
    "watchers.Heartbeat": "forgotten after weeks; the last one is in the watcher's row",
    "files.DailyIntake": WORK,
    "files.StoredChange": KEPT_AGAIN,
    "files.StoredRange": KEPT_AGAIN,
    "files.UploadPart": WORK,
    "files.ReadBack": WORK,
    "files.SweepPosition": WORK,
    "files.Thumbnail": "drawn anew from what was read",
    "files.FileScrub": WORK,
    "files.IntegrityFinding": "of objects in this store",
    "files.ObjectRemoval": WORK,
    "files.Recall": WORK,
    "files.SharableObject": WORK,
    "archives.ArchiveJob": WORK,
    "processing.ProcessingJob": WORK,
    "changes.Change": "the log for followers, forgotten after weeks; the trail tells more",
    "changes.LogState": WORK,
    "changes.WebhookDelivery": OUTBOX,
    "notifications.Notification": OUTBOX,
    "notifications.Announcement": OUTBOX,
    "notifications.ChatDelivery": OUTBOX,
    "notifications.EmailDelivery": OUTBOX,
    "notifications.Digest": OUTBOX,
    "overview.Backup": WORK,
    "overview.Import": WORK,
    "admin.LogEntry": FRAMEWORK,
    "auth.Permission": FRAMEWORK,
    "auth.Group": FRAMEWORK,
    "auth.Group_permissions": FRAMEWORK,
    "accounts.User_groups": FRAMEWORK,
    "accounts.User_user_permissions": FRAMEWORK,
    "contenttypes.ContentType": FRAMEWORK,
    "pghistory.Context": FRAMEWORK,
    "pghistory.Events": FRAMEWORK,
    "pghistory.MiddlewareEvents": FRAMEWORK,
}
